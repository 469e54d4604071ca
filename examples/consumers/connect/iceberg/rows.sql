-- The utterances of released calls in the table of iceberg.properties, which is called events here, as rows. It is written for
-- DuckDB; other engines have functions of other names for JSON, such as get_json_object. It takes the ENDs that are there;
-- utterances may still follow for SOTTO_CALL_GRACE.

WITH latest AS (
    -- All events of a call are in one partition, so that the larger offset is the later record.
    SELECT event
    FROM events
    QUALIFY row_number() OVER (
        PARTITION BY event ->> '$.call_id', event ->> '$.seq', event ->> '$.type'
        ORDER BY "offset" DESC) = 1),
calls AS (
    SELECT event ->> '$.call_id' AS call_id, (event ->> '$.call.utterances')::BIGINT AS utterances,
        (event ->> '$.call.estimated_risk')::DOUBLE AS estimated_risk
    FROM latest
    WHERE (event ->> '$.type') = 'END' AND (event ->> '$.call.release') = 'true'),
said AS (
    SELECT event ->> '$.call_id' AS call_id, (event ->> '$.seq')::BIGINT AS seq, event ->> '$.speaker.role' AS role, event ->> '$.text' AS text,
        count(*) OVER (PARTITION BY event ->> '$.call_id') AS utterances
    FROM latest
    WHERE (event ->> '$.type') = 'UTTERANCE')
SELECT call_id, seq, role, text, estimated_risk
FROM said JOIN calls USING (call_id)
WHERE said.utterances >= calls.utterances
ORDER BY call_id, seq;
