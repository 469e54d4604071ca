package topic

// Between is records, for the tests.
var Between = records
