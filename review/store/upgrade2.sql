-- From version 1: how many marks of a reading are unsure has a column of its own.
ALTER TABLE readings ADD COLUMN unsure INTEGER NOT NULL DEFAULT 0;
UPDATE readings SET unsure = (SELECT count(*) FROM json_each(body, '$.spans') WHERE json_extract(value, '$.unsure'));
