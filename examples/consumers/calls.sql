-- Utterances of released calls, from the clean topic into files, with Flink SQL. It reads what the topic has now, and ends; a new
-- run writes all of it again. Topics hold JSON (SOTTO_CODEC=json). The lines with NOTE are what every reader must do (docs/consumers.md).

SET 'execution.runtime-mode' = 'batch';

-- NOTE: committed records only; the default of Flink's connector is another one.
CREATE TABLE events (
    call_id STRING,
    seq BIGINT,
    `type` STRING,
    speaker ROW<id STRING, `role` STRING>,
    `text` STRING,
    start_ms BIGINT,
    policy STRING,
    `call` ROW<utterances BIGINT, estimated_risk DOUBLE, `release` BOOLEAN>,
    `offset` BIGINT METADATA VIRTUAL
) WITH (
    'connector' = 'kafka',
    'properties.bootstrap.servers' = 'localhost:9092',
    'topic' = 'calls.final',
    'properties.isolation.level' = 'read_committed',
    'scan.startup.mode' = 'earliest-offset',
    'scan.bounded.mode' = 'latest-offset',
    'format' = 'json'
);

-- NOTE: of the events with one key, the latest counts. A call is in one partition, where offsets are in order.
CREATE VIEW latest AS
SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY call_id, seq, `type` ORDER BY `offset` DESC) AS place FROM events
) WHERE place = 1;

-- NOTE: a call is used if its END, the latest if it has several, says that it is released.
CREATE VIEW released AS
SELECT call_id, utterances, estimated_risk FROM (
    SELECT call_id, `call`.utterances AS utterances, `call`.estimated_risk AS estimated_risk, `call`.`release` AS may_be_used,
        ROW_NUMBER() OVER (PARTITION BY call_id ORDER BY `offset` DESC) AS place
    FROM events WHERE `type` = 'END'
) WHERE place = 1 AND may_be_used;

CREATE TABLE utterances (
    call_id STRING,
    seq BIGINT,
    speaker STRING,
    `role` STRING,
    `text` STRING,
    start_ms BIGINT,
    policy STRING,
    estimated_risk DOUBLE
) WITH (
    'connector' = 'filesystem',
    'path' = 'file:///tmp/utterances',
    'format' = 'json'
);

-- NOTE: and if no fewer utterances have been read than the END counts.
INSERT OVERWRITE utterances
SELECT u.call_id, u.seq, u.speaker.id, u.speaker.`role`, u.`text`, u.start_ms, u.policy, r.estimated_risk
FROM latest AS u
JOIN released AS r ON r.call_id = u.call_id
JOIN (SELECT call_id, COUNT(*) AS present FROM latest WHERE `type` = 'UTTERANCE' GROUP BY call_id) AS n ON n.call_id = u.call_id
WHERE u.`type` = 'UTTERANCE' AND n.present >= r.utterances;
