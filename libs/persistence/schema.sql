-- What the migrations make, as the catalogs tell it. Written by print-schema, not by hand.

CREATE OR REPLACE FUNCTION public.new_uuid_v7()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION public.note_due_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  due record;
BEGIN
  FOR due IN SELECT endpoint_id, min(next_attempt_at) AS at FROM fresh WHERE state = 'pending' GROUP BY endpoint_id ORDER BY endpoint_id LOOP
    PERFORM note_due_endpoint(due.endpoint_id, due.at);
  END LOOP;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.note_due_endpoint(endpoint uuid, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM due_endpoints WHERE endpoint_id = endpoint FOR KEY SHARE;
  UPDATE due_endpoints SET due_at = at WHERE endpoint_id = endpoint AND due_at > at;
END
$function$;

CREATE OR REPLACE FUNCTION public.note_taking_endpoints()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  taking record;
BEGIN
  FOR taking IN
    SELECT fresh.id, coalesce(fresh.probe_at, now()) AS at FROM fresh JOIN stale ON stale.id = fresh.id
    WHERE fresh.state <> 'disabled' AND (stale.state <> fresh.state OR stale.probe_at > fresh.probe_at)
    ORDER BY fresh.id
  LOOP
    PERFORM note_due_endpoint(taking.id, taking.at);
  END LOOP;
  RETURN NULL;
END
$function$;

CREATE TABLE accounts (
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  rate_limit text,
  CONSTRAINT accounts_name_is_unique UNIQUE (name),
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_rate_limit_is_a_rate CHECK (
CASE
    WHEN (rate_limit ~ '^[0-9]{1,7}/[0-9]{1,5}s$'::text) THEN (((split_part(rate_limit, '/'::text, 1))::integer >= 1) AND ((split_part(rate_limit, '/'::text, 1))::integer <= 1000000) AND ((rtrim(split_part(rate_limit, '/'::text, 2), 's'::text))::integer >= 1) AND ((rtrim(split_part(rate_limit, '/'::text, 2), 's'::text))::integer <= 86400))
    ELSE (rate_limit = 'off'::text)
END)
);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  secret_sha256 bytea NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_secret_is_unique UNIQUE (secret_sha256)
);
CREATE INDEX api_keys_by_account ON public.api_keys USING btree (account_id, id);

CREATE TABLE batches (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  items integer NOT NULL,
  open_items integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  CONSTRAINT batches_ended_has_no_open_items CHECK (((finished_at IS NULL) = (open_items > 0))),
  CONSTRAINT batches_open_items_are_some_of_its_items CHECK (((open_items >= 0) AND (open_items <= items))),
  CONSTRAINT batches_pkey PRIMARY KEY (id)
);
CREATE INDEX batches_by_expiry ON public.batches USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE TABLE deleted_objects (
  name text COLLATE "C" NOT NULL,
  deleted_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT deleted_objects_pkey PRIMARY KEY (name)
);

CREATE TABLE deliveries (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  event_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  state text NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  claim integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp(3) with time zone,
  lease_until timestamp(3) with time zone,
  redelivery_of uuid,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  is_recovered boolean DEFAULT false NOT NULL,
  uncounted integer DEFAULT 0 NOT NULL,
  CONSTRAINT deliveries_delivering_has_a_lease CHECK (((state = 'delivering'::text) = (lease_until IS NOT NULL))),
  CONSTRAINT deliveries_pending_has_a_time CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_state_is_known CHECK ((state = ANY (ARRAY['pending'::text, 'delivering'::text, 'delivered'::text, 'exhausted'::text, 'skipped'::text, 'cancelled'::text])))
);
CREATE INDEX deliveries_by_account ON public.deliveries USING btree (account_id, id DESC);
CREATE INDEX deliveries_by_endpoint ON public.deliveries USING btree (endpoint_id, id DESC);
CREATE INDEX deliveries_by_event ON public.deliveries USING btree (event_id);
CREATE INDEX deliveries_due_by_endpoint ON public.deliveries USING btree (endpoint_id, (
CASE
    WHEN is_recovered THEN 2
    WHEN (attempt > 0) THEN 1
    ELSE 0
END), next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_in_flight ON public.deliveries USING btree (endpoint_id, event_id) WHERE (state = 'delivering'::text);
CREATE INDEX deliveries_leased ON public.deliveries USING btree (lease_until) WHERE (state = 'delivering'::text);
CREATE UNIQUE INDEX deliveries_one_per_event_and_endpoint ON public.deliveries USING btree (event_id, endpoint_id) WHERE (redelivery_of IS NULL);
CREATE INDEX deliveries_open_by_age ON public.deliveries USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'delivering'::text]));
CREATE INDEX deliveries_recovered ON public.deliveries USING btree (endpoint_id, next_attempt_at) WHERE ((state = 'pending'::text) AND is_recovered);

CREATE TABLE delivery_attempts (
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  claim integer NOT NULL,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  duration_ms integer,
  outcome text DEFAULT 'unknown'::text NOT NULL,
  status_code smallint,
  response_body text,
  CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number)
);

CREATE TABLE due_endpoints (
  endpoint_id uuid NOT NULL,
  due_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT due_endpoints_pkey PRIMARY KEY (endpoint_id)
) WITH (fillfactor=50);
CREATE INDEX due_endpoints_by_due_at ON public.due_endpoints USING btree (due_at);

CREATE TABLE endpoint_secrets (
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  sealed text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone,
  CONSTRAINT endpoint_secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX endpoint_secrets_by_endpoint ON public.endpoint_secrets USING btree (endpoint_id, created_at DESC);

CREATE TABLE events (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  type text NOT NULL,
  job_id uuid,
  batch_id uuid,
  endpoint_id uuid,
  sequence bigint,
  body text NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL,
  CONSTRAINT events_body_is_thin CHECK ((octet_length(body) <= 20000)),
  CONSTRAINT events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_by_account ON public.events USING btree (account_id, id DESC);
CREATE INDEX events_by_age ON public.events USING btree (created_at);
CREATE INDEX events_by_time ON public.events USING btree (account_id, occurred_at, id);
CREATE INDEX events_in_order ON public.events USING btree (account_id, transaction_id, id);
CREATE UNIQUE INDEX events_one_end_per_batch ON public.events USING btree (batch_id) WHERE (type = 'batch.completed'::text);
CREATE UNIQUE INDEX events_one_end_per_job ON public.events USING btree (job_id) WHERE (type = ANY (ARRAY['job.completed'::text, 'job.failed'::text, 'job.cancelled'::text]));

CREATE TABLE files (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  object_id uuid NOT NULL,
  name text NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT files_pkey PRIMARY KEY (id)
);
CREATE INDEX files_by_expiry ON public.files USING btree (expires_at);
CREATE INDEX files_by_object ON public.files USING btree (object_id);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL,
  route text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  job_id uuid,
  batch_id uuid,
  status smallint NOT NULL,
  location text,
  content_type text NOT NULL,
  body bytea NOT NULL,
  is_sealed boolean DEFAULT false NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key, route)
);
CREATE INDEX idempotency_keys_by_batch ON public.idempotency_keys USING btree (batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE TABLE installation (
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  CONSTRAINT installation_pkey PRIMARY KEY (name)
);

CREATE TABLE job_attempts (
  job_id uuid NOT NULL,
  claim integer NOT NULL,
  number integer NOT NULL,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  outcome text,
  CONSTRAINT job_attempts_ended_has_an_outcome CHECK (((finished_at IS NULL) = (outcome IS NULL))),
  CONSTRAINT job_attempts_outcome_is_known CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'requeued'::text, 'handed_back'::text, 'lost'::text, 'cancelled'::text]))),
  CONSTRAINT job_attempts_pkey PRIMARY KEY (job_id, claim)
);

CREATE TABLE job_inputs (
  job_id uuid NOT NULL,
  index integer NOT NULL,
  name text,
  media_type text,
  size bigint,
  sha256 bytea,
  object_id uuid,
  source_job_id uuid,
  source_output integer,
  url text,
  pages text,
  sealed_password text,
  CONSTRAINT job_inputs_pkey PRIMARY KEY (job_id, index)
);
CREATE INDEX job_inputs_by_object ON public.job_inputs USING btree (object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX job_inputs_by_source ON public.job_inputs USING btree (source_job_id) WHERE (source_job_id IS NOT NULL);

CREATE TABLE job_outputs (
  job_id uuid NOT NULL,
  index integer NOT NULL,
  name text NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  pages integer NOT NULL,
  object_id uuid,
  link_key_id text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT job_outputs_pkey PRIMARY KEY (job_id, index)
);
CREATE INDEX job_outputs_by_expiry ON public.job_outputs USING btree (expires_at) WHERE (object_id IS NOT NULL);
CREATE INDEX job_outputs_by_object ON public.job_outputs USING btree (object_id) WHERE (object_id IS NOT NULL);

CREATE TABLE jobs (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  operation text NOT NULL,
  options jsonb NOT NULL,
  metadata jsonb NOT NULL,
  idempotency_key text COLLATE "C",
  batch_id uuid,
  client_item_id text COLLATE "C",
  state text DEFAULT 'queued'::text NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  claim integer DEFAULT 0 NOT NULL,
  ready_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  lease_until timestamp(3) with time zone,
  progress_done integer DEFAULT 0 NOT NULL,
  progress_total integer NOT NULL,
  progress_unit text NOT NULL,
  warnings jsonb DEFAULT '[]'::jsonb NOT NULL,
  error jsonb,
  created_at timestamp(3) with time zone NOT NULL,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  awaits_inputs boolean DEFAULT false NOT NULL,
  CONSTRAINT jobs_attempt_is_a_count CHECK ((attempt >= 0)),
  CONSTRAINT jobs_batch_item_has_a_name CHECK (((batch_id IS NULL) = (client_item_id IS NULL))),
  CONSTRAINT jobs_ended_has_an_end CHECK (((state = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
  CONSTRAINT jobs_failed_has_an_error CHECK (((state = 'failed'::text) = (error IS NOT NULL))),
  CONSTRAINT jobs_pkey PRIMARY KEY (id),
  CONSTRAINT jobs_processing_has_a_lease CHECK (((state = 'processing'::text) = (lease_until IS NOT NULL))),
  CONSTRAINT jobs_state_is_known CHECK ((state = ANY (ARRAY['queued'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE INDEX jobs_by_account ON public.jobs USING btree (account_id, id DESC);
CREATE INDEX jobs_by_batch ON public.jobs USING btree (batch_id, id) WHERE (batch_id IS NOT NULL);
CREATE INDEX jobs_by_expiry ON public.jobs USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX jobs_ended_by_idempotency_key ON public.jobs USING btree (account_id, idempotency_key) WHERE ((idempotency_key IS NOT NULL) AND (finished_at IS NOT NULL));
CREATE UNIQUE INDEX jobs_item_is_unique_in_batch ON public.jobs USING btree (batch_id, client_item_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX jobs_leased ON public.jobs USING btree (lease_until) WHERE (state = 'processing'::text);
CREATE INDEX jobs_longest_ready ON public.jobs USING btree (ready_at) WHERE ((state = 'queued'::text) AND (NOT awaits_inputs));
CREATE INDEX jobs_ready ON public.jobs USING btree (account_id, ready_at, id) WHERE ((state = 'queued'::text) AND (NOT awaits_inputs));

CREATE TABLE objects (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  purpose text NOT NULL,
  job_id uuid,
  claim integer,
  size bigint,
  sha256 bytea,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  completed_at timestamp(3) with time zone,
  CONSTRAINT objects_complete_has_size_and_hash CHECK ((((completed_at IS NULL) = (size IS NULL)) AND ((completed_at IS NULL) = (sha256 IS NULL)))),
  CONSTRAINT objects_made_by_a_worker_names_its_claim CHECK (((purpose <> 'upload'::text) = ((job_id IS NOT NULL) AND (claim IS NOT NULL)))),
  CONSTRAINT objects_name_is_unique UNIQUE (name),
  CONSTRAINT objects_pkey PRIMARY KEY (id),
  CONSTRAINT objects_purpose_is_known CHECK ((purpose = ANY (ARRAY['upload'::text, 'input'::text, 'output'::text])))
);

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  topic text NOT NULL,
  key text NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  state text NOT NULL,
  claimed_until timestamp(3) with time zone,
  reason text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  settled_at timestamp(3) with time zone,
  CONSTRAINT outbox_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_state_is_known CHECK ((state = ANY (ARRAY['pending'::text, 'published'::text, 'local'::text, 'dead'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX outbox_by_age ON public.outbox USING btree (created_at) WHERE (state <> 'pending'::text);
CREATE INDEX outbox_pending ON public.outbox USING btree (id) WHERE (state = 'pending'::text);

CREATE TABLE rate_limits (
  key text COLLATE "C" NOT NULL,
  points integer DEFAULT 0 NOT NULL,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
) WITH (fillfactor=50);
CREATE INDEX rate_limits_by_end ON public.rate_limits USING btree (expire);

CREATE TABLE recoveries (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  since timestamp(3) with time zone NOT NULL,
  until timestamp(3) with time zone,
  states text[] NOT NULL,
  state text DEFAULT 'running'::text NOT NULL,
  cursor_at timestamp(3) with time zone NOT NULL,
  cursor_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
  events bigint DEFAULT 0 NOT NULL,
  rearmed bigint DEFAULT 0 NOT NULL,
  inserted bigint DEFAULT 0 NOT NULL,
  next_step_at timestamp with time zone DEFAULT now() NOT NULL,
  transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  finished_at timestamp(3) with time zone,
  CONSTRAINT recoveries_ended_has_an_end CHECK (((state = 'running'::text) = (finished_at IS NULL))),
  CONSTRAINT recoveries_pkey PRIMARY KEY (id),
  CONSTRAINT recoveries_state_is_known CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text]))),
  CONSTRAINT recoveries_states_are_known CHECK (((states <@ ARRAY['exhausted'::text, 'skipped'::text, 'missing'::text]) AND (states <> '{}'::text[])))
);
CREATE INDEX recoveries_by_age ON public.recoveries USING btree (finished_at) WHERE (state <> 'running'::text);
CREATE INDEX recoveries_by_endpoint ON public.recoveries USING btree (endpoint_id, id DESC);
CREATE INDEX recoveries_running ON public.recoveries USING btree (next_step_at) WHERE (state = 'running'::text);

CREATE TABLE usage_records (
  job_id uuid NOT NULL,
  account_id uuid NOT NULL,
  operation text NOT NULL,
  pages integer NOT NULL,
  input_bytes bigint NOT NULL,
  output_bytes bigint NOT NULL,
  completed_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT usage_records_one_per_job PRIMARY KEY (job_id)
);
CREATE INDEX usage_records_by_time ON public.usage_records USING btree (account_id, completed_at);

CREATE TABLE webhook_endpoints (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  url text NOT NULL,
  event_types text[] NOT NULL,
  description text,
  sealed_headers text,
  metadata jsonb NOT NULL,
  state text DEFAULT 'healthy'::text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  deleted_at timestamp(3) with time zone,
  retry_schedule integer[],
  consecutive_failures integer DEFAULT 0 NOT NULL,
  first_failure_at timestamp(3) with time zone,
  probes integer DEFAULT 0 NOT NULL,
  probe_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  disabled_reason text,
  enabled_at timestamp(3) with time zone,
  sequence bigint DEFAULT 0 NOT NULL,
  CONSTRAINT webhook_endpoints_disabled_has_a_reason CHECK ((((state = 'disabled'::text) = (disabled_at IS NOT NULL)) AND ((disabled_at IS NULL) = (disabled_reason IS NULL)))),
  CONSTRAINT webhook_endpoints_disabled_reason_is_known CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text, 'requested'::text]))),
  CONSTRAINT webhook_endpoints_failing_has_a_probe CHECK (((state = 'failing'::text) = (probe_at IS NOT NULL))),
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoints_state_is_known CHECK ((state = ANY (ARRAY['healthy'::text, 'failing'::text, 'disabled'::text])))
);
CREATE INDEX webhook_endpoints_by_account ON public.webhook_endpoints USING btree (account_id, id DESC) WHERE (deleted_at IS NULL);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE batches ADD CONSTRAINT batches_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_endpoint_exists FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_event_exists FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_delivery_exists FOREIGN KEY (delivery_id) REFERENCES deliveries(id) ON DELETE CASCADE;
ALTER TABLE due_endpoints ADD CONSTRAINT due_endpoints_endpoint_exists FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE;
ALTER TABLE endpoint_secrets ADD CONSTRAINT endpoint_secrets_endpoint_exists FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE;
ALTER TABLE events ADD CONSTRAINT events_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE files ADD CONSTRAINT files_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE files ADD CONSTRAINT files_object_exists FOREIGN KEY (object_id) REFERENCES objects(id);
ALTER TABLE job_attempts ADD CONSTRAINT job_attempts_job_exists FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE job_inputs ADD CONSTRAINT job_inputs_job_exists FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE job_inputs ADD CONSTRAINT job_inputs_object_exists FOREIGN KEY (object_id) REFERENCES objects(id);
ALTER TABLE job_outputs ADD CONSTRAINT job_outputs_job_exists FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE job_outputs ADD CONSTRAINT job_outputs_object_exists FOREIGN KEY (object_id) REFERENCES objects(id);
ALTER TABLE jobs ADD CONSTRAINT jobs_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE jobs ADD CONSTRAINT jobs_batch_exists FOREIGN KEY (batch_id) REFERENCES batches(id) ON DELETE CASCADE;
ALTER TABLE objects ADD CONSTRAINT objects_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE recoveries ADD CONSTRAINT recoveries_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE recoveries ADD CONSTRAINT recoveries_endpoint_exists FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id);
ALTER TABLE usage_records ADD CONSTRAINT usage_records_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_account_exists FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TRIGGER deliveries_come_due AFTER INSERT ON public.deliveries REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note_due_deliveries();
CREATE TRIGGER deliveries_come_due_again AFTER UPDATE ON public.deliveries REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note_due_deliveries();
CREATE TRIGGER webhook_endpoints_take_again AFTER UPDATE ON public.webhook_endpoints REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note_taking_endpoints();
