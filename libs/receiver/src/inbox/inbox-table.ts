/** Makes the table of the inbox, unless it is there. Run it with your migrations, in the database where the effects are written. */
export const inboxTable = `\
CREATE TABLE IF NOT EXISTS pdfonce_inbox (
  consumer    text        NOT NULL,
  event_id    text        NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
CREATE INDEX IF NOT EXISTS pdfonce_inbox_by_age ON pdfonce_inbox (received_at);`;
