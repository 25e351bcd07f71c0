-- SPDX-License-Identifier: MIT
-- How far each key of Tidemark's has come. Sequences begin again with each epoch.
CREATE TABLE IF NOT EXISTS cursors (
  key text NOT NULL,
  epoch bigint NOT NULL,
  sequence numeric(20) NOT NULL,
  PRIMARY KEY (key, epoch)
);

-- What was booked, by the message that says so. Lines are added, never changed, never deleted.
CREATE TABLE IF NOT EXISTS lines (
  message text NOT NULL,
  line integer NOT NULL,
  account text NOT NULL,
  amount numeric(78) NOT NULL, -- a uint256, with its sign
  PRIMARY KEY (message, line)
);
CREATE INDEX IF NOT EXISTS lines_account ON lines (account);
