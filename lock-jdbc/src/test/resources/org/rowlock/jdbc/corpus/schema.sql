-- The tables of statements.txt: those columns that it names, with the primary keys that the programs give them, and two rows
-- in each.

create table hibernate_sequences (sequence_name text, next_val bigint, primary key (sequence_name));
insert into hibernate_sequences values ('default', 0), ('other', 0);

create table account (id bigint, balance bigint, version int, branch_name text, primary key (id));
insert into account values (1, 100, 0, 'north'), (2, 200, 0, 'south');

create table branch (name text, rating int, primary key (name));
insert into branch values ('north', 3), ('south', 4);

create table branch_notes (branch_name text, notes_order int, notes text, primary key (branch_name, notes_order));
insert into branch_notes values ('north', 0, 'a'), ('north', 1, 'b');

create table client (id bigint, name text, primary key (id));
insert into client values (1, 'Ann'), (2, 'Ben');

create table orderline (orderid bigint, line int, quantity int, primary key (line, orderid));
insert into orderline values (7, 1, 5), (7, 2, 6);

create table seat ("row" text, number int, taken boolean, primary key (number, "row"));
insert into seat values ('A', 12, 'false'), ('A', 13, 'false');

create table "Document" (id uuid, changed timestamp, state text, primary key (id));
insert into "Document" values ('6ecd8c99-4036-403d-bf84-cf8400f67836', '2026-01-01', 'draft'), ('00000000-0000-0000-0000-000000000001', '2026-01-01', 'draft');

create table payment (id bigint, dtype text, amount bigint, version bigint, number text, till text, primary key (id));
insert into payment values (1, 'Card', 10, 0, '1234', null), (2, 'Cash', 20, 0, null, 'till');

create table ticket (id bigint, holder text, state text, primary key (id));
insert into ticket values (1, 'nobody', 'free'), (2, 'nobody', 'free');

create table invoice (id bigint, client_id bigint, state text, primary key (id));
insert into invoice values (1, 1, 'open'), (2, 1, 'open');

create table invoice_text (id bigint, remark text, primary key (id));
insert into invoice_text values (1, 'first'), (2, 'second');

create table vehicle (id bigint, colour text, version int, dtype text, primary key (id));
insert into vehicle values (1, 'red', 0, 'Truck'), (2, 'red', 0, 'Truck');

create table truck (id bigint, load int, primary key (id));
insert into truck values (1, 7), (2, 8);

create table basket (id bigint, owner text, version int, primary key (id));
insert into basket values (1, 'Ann', 0), (2, 'Ben', 0);

create table item (basket bigint, name text, quantity int);
insert into item values (1, 'bolt', 3), (2, 'nut', 4);

create table shelf (warehouse int, item text, quantity int, primary key (warehouse, item));
insert into shelf values (1, 'nut', 20), (1, 'bolt', 10);

create table inventory (itemid text, qty int, colour text, primary key (itemid));
insert into inventory values ('EST-1', 10000, null), ('EST-2', 10000, null);

create table numbers (name text, nextid int, primary key (name));
insert into numbers values ('ordernum', 1000), ('other', 1000);

create table sequence (seq_name text, seq_count numeric, primary key (seq_name));
insert into sequence values ('SEQ_GEN_TABLE', 0), ('OTHER', 0);

create table qrtz_locks (sched_name text, lock_name text, primary key (sched_name, lock_name));
insert into qrtz_locks values ('quartz', 'TRIGGER_ACCESS'), ('quartz', 'STATE_ACCESS');

create table qrtz_scheduler_state (sched_name text, instance_name text, last_checkin_time bigint, primary key (sched_name, instance_name));
insert into qrtz_scheduler_state values ('quartz', 'one', 0), ('quartz', 'two', 0);

create table qrtz_triggers (sched_name text, trigger_name text, trigger_group text, job_name text, job_group text, description text, next_fire_time bigint, prev_fire_time bigint, priority int, trigger_state text, trigger_type text, start_time bigint, end_time bigint, calendar_name text, misfire_instr smallint, primary key (sched_name, trigger_name, trigger_group));
insert into qrtz_triggers values ('quartz', 'trigger0', 'counting', 'job0', 'counting', null, 0, 0, 5, 'WAITING', 'SIMPLE', 0, 0, null, 0), ('quartz', 'trigger1', 'counting', 'job1', 'counting', null, 0, 0, 5, 'WAITING', 'SIMPLE', 0, 0, null, 0);

create table qrtz_simple_triggers (sched_name text, trigger_name text, trigger_group text, repeat_count bigint, repeat_interval bigint, times_triggered bigint, primary key (sched_name, trigger_name, trigger_group));
insert into qrtz_simple_triggers values ('quartz', 'trigger0', 'counting', 7, 20, 0), ('quartz', 'trigger1', 'counting', 7, 20, 0);

create table qrtz_cron_triggers (sched_name text, trigger_name text, trigger_group text, cron_expression text, time_zone_id text, primary key (sched_name, trigger_name, trigger_group));
insert into qrtz_cron_triggers values ('quartz', 'trigger0', 'counting', '0 0 0 1 1 ?', 'UTC'), ('quartz', 'trigger1', 'counting', '0 0 0 1 1 ?', 'UTC');

create table qrtz_simprop_triggers (sched_name text, trigger_name text, trigger_group text, primary key (sched_name, trigger_name, trigger_group));
insert into qrtz_simprop_triggers values ('quartz', 'trigger0', 'counting'), ('quartz', 'trigger1', 'counting');

create table qrtz_blob_triggers (sched_name text, trigger_name text, trigger_group text, primary key (sched_name, trigger_name, trigger_group));
insert into qrtz_blob_triggers values ('quartz', 'trigger0', 'counting'), ('quartz', 'trigger1', 'counting');

create table qrtz_fired_triggers (sched_name text, entry_id text, instance_name text, fired_time bigint, sched_time bigint, state text, job_name text, job_group text, is_nonconcurrent boolean, requests_recovery boolean, primary key (sched_name, entry_id));
insert into qrtz_fired_triggers values ('quartz', 'one1', 'one', 0, 0, 'ACQUIRED', null, null, null, null), ('quartz', 'one2', 'one', 0, 0, 'ACQUIRED', null, null, null, null);

create table qrtz_job_details (sched_name text, job_name text, job_group text, description text, job_class_name text, is_durable boolean, is_nonconcurrent boolean, is_update_data boolean, requests_recovery boolean, job_data bytea, primary key (sched_name, job_name, job_group));
insert into qrtz_job_details values ('quartz', 'job0', 'counting', null, null, null, null, null, null, null), ('quartz', 'job1', 'counting', null, null, null, null, null, null, null);

create table qrtz_calendars (sched_name text, calendar_name text, calendar bytea, primary key (sched_name, calendar_name));
insert into qrtz_calendars values ('quartz', 'weekdays', null), ('quartz', 'holidays', null);

create table qrtz_paused_trigger_grps (sched_name text, trigger_group text, primary key (sched_name, trigger_group));
insert into qrtz_paused_trigger_grps values ('quartz', 'DEFAULT'), ('quartz', 'counting');

create table spring_session (primary_id char(36), session_id char(36), last_access_time bigint, max_inactive_interval int, expiry_time bigint, principal_name text, primary key (primary_id));
insert into spring_session values ('c19d5e09-8351-4a4d-a26b-194fda3952b8', '31ca676f-7b4a-4d88-8877-3b358a07d6aa', 0, 300, 0, null), ('other', 'other', 0, 300, 0, null);

create table spring_session_attributes (session_primary_id char(36), attribute_name text, attribute_bytes bytea, primary key (session_primary_id, attribute_name));
insert into spring_session_attributes values ('c19d5e09-8351-4a4d-a26b-194fda3952b8', 'user', null), ('other', 'user', null);

create table int_lock (lock_key char(36), region text, client_id char(36), created_date timestamp, primary key (lock_key, region));
insert into int_lock values ('1d623b89-683f-3ce4-a074-de1676d12416', 'DEFAULT', '1d267ec9-2285-4355-8e55-0df8cc80e6c9', '2026-01-01'), ('other', 'DEFAULT', 'other', '2026-01-01');

create table int_metadata_store (metadata_key text, region text, metadata_value text, primary key (metadata_key, region));
insert into int_metadata_store values ('offset', 'DEFAULT', '0'), ('other', 'DEFAULT', '0');

create table int_channel_message (region text, group_key char(36), created_date bigint, message_sequence bigint, message_id char(36), message_bytes bytea, primary key (region, group_key, created_date, message_sequence));
insert into int_channel_message values ('DEFAULT', 'c485d2ed-5cc4-3e64-bccc-ca710c7a0bb7', 1, 1, 'd0d760f5-98d9-ed51-ea4b-fcb779283b8f', null), ('DEFAULT', 'other', 2, 2, 'other', null);

create table int_message_group (group_key char(36), region text, updated_date timestamp, last_released_sequence bigint, group_condition text, complete bigint, primary key (group_key, region));
insert into int_message_group values ('c485d2ed-5cc4-3e64-bccc-ca710c7a0bb7', 'DEFAULT', null, 0, null, 0), ('other', 'DEFAULT', null, 0, null, 0);

create table int_group_to_message (group_key char(36), message_id char(36), region text, primary key (group_key, message_id, region));
insert into int_group_to_message values ('c485d2ed-5cc4-3e64-bccc-ca710c7a0bb7', 'd0d760f5-98d9-ed51-ea4b-fcb779283b8f', 'DEFAULT'), ('other', 'other', 'DEFAULT');

create table int_message (message_id char(36), region text, primary key (message_id, region));
insert into int_message values ('d0d760f5-98d9-ed51-ea4b-fcb779283b8f', 'DEFAULT'), ('other', 'DEFAULT');

create table batch_job_execution (job_execution_id bigint, version bigint, start_time timestamp, end_time timestamp, status text, exit_code text, exit_message text, create_time timestamp, last_updated timestamp, primary key (job_execution_id));
insert into batch_job_execution values (1, 0, null, null, null, null, null, null, null), (2, 0, null, null, null, null, null, null, null);

create table batch_step_execution (step_execution_id bigint, version bigint, start_time timestamp, end_time timestamp, status text, commit_count bigint, read_count bigint, filter_count bigint, write_count bigint, exit_code text, exit_message text, read_skip_count bigint, process_skip_count bigint, write_skip_count bigint, rollback_count bigint, last_updated timestamp, primary key (step_execution_id));
insert into batch_step_execution values (1, 0, null, null, null, 0, 0, 0, 0, null, null, 0, 0, 0, 0, null), (2, 0, null, null, null, 0, 0, 0, 0, null, null, 0, 0, 0, 0, null);

create table batch_step_execution_context (step_execution_id bigint, short_context text, serialized_context text, primary key (step_execution_id));
insert into batch_step_execution_context values (1, null, null), (2, null, null);

create table batch_job_execution_context (job_execution_id bigint, short_context text, serialized_context text, primary key (job_execution_id));
insert into batch_job_execution_context values (1, null, null), (2, null, null);

create table batch_job_execution_params (job_execution_id bigint);
insert into batch_job_execution_params values (1), (2);

create table batch_job_instance (job_instance_id bigint, version bigint, primary key (job_instance_id));
insert into batch_job_instance values (1, 0), (2, 0);

create table shedlock (name text, lock_until timestamp, locked_at timestamp, locked_by text, primary key (name));
insert into shedlock values ('report', '2026-01-01', '2026-01-01', 'vm'), ('sum', '2999-01-01', '2026-01-01', 'vm');

create table scheduled_tasks (task_name text, task_instance text, picked boolean, picked_by text, last_heartbeat timestamptz, last_success timestamptz, last_failure timestamptz, consecutive_failures int, execution_time timestamptz, version bigint, primary key (task_name, task_instance));
insert into scheduled_tasks values ('once', '1', 'false', null, null, null, null, 0, '2026-01-01', 1), ('once', '2', 'false', null, null, null, null, 0, '2026-01-01', 1);

create table jobrunr_jobs (id char(36), version int, jobasjson text, state text, updatedat timestamp, scheduledat timestamp, primary key (id));
insert into jobrunr_jobs values ('01a20244-137c-72b7-ab76-00a655191cbd', 1, null, 'ENQUEUED', '2026-01-01', null), ('other', 1, null, 'ENQUEUED', '2026-01-01', null);

create table jobrunr_migrations (id char(36), primary key (id));
insert into jobrunr_migrations values ('01a20244-137c-72b7-ab76-00a655191cbd'), ('other');

create table jobrunr_recurring_jobs (id text, primary key (id));
insert into jobrunr_recurring_jobs values ('never'), ('other');

create table jobrunr_backgroundjobservers (id char(36), lastheartbeat timestamp, systemfreememory bigint, systemcpuload numeric, processfreememory bigint, processallocatedmemory bigint, processcpuload numeric, primary key (id));
insert into jobrunr_backgroundjobservers values ('01a20244-137c-72b7-ab76-00a655191cbd', '2026-01-01', 0, 0, 0, 0, 0), ('other', '2026-01-01', 0, 0, 0, 0, 0);

create table flyway_schema_history (installed_rank int, description text, type text, checksum int, primary key (installed_rank));
insert into flyway_schema_history values (1, null, null, null), (2, null, null, null);

create table databasechangeloglock (id int, locked boolean, lockedby text, lockgranted timestamp, primary key (id));
insert into databasechangeloglock values (1, 'false', null, null), (2, 'false', null, null);

create table databasechangelog (id text, author text, filename text, comments text, contexts text, dateexecuted timestamp, deployment_id text, description text, exectype text, labels text, liquibase text, md5sum text, orderexecuted int);
insert into databasechangelog values ('2', 'test', 'changes.xml', null, null, null, null, null, null, null, null, null, null), ('3', 'test', 'changes.xml', null, null, null, null, null, null, null, null, null, null);

create table shape (id int, name text, primary key (id));
insert into shape values (1, null), (2, null);

create table colour (id int, name text, primary key (id));
insert into colour values (1, null), (2, null);

create table warehouse (w_id int, w_ytd numeric, primary key (w_id));
insert into warehouse values (1, 0), (2, 0);

create table district (d_w_id int, d_id int, d_next_o_id int, d_tax numeric, d_ytd numeric, primary key (d_w_id, d_id));
insert into district values (1, 1, 1, 0, 0), (1, 2, 1, 0, 0);

create table stock (s_w_id int, s_i_id int, s_quantity int, s_data text, s_ytd numeric, s_order_cnt int, s_remote_cnt int, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text, primary key (s_w_id, s_i_id));
insert into stock values (1, 7, 50, '', 0, 0, 0, '', '', '', '', '', '', '', '', '', ''), (1, 8, 50, '', 0, 0, 0, '', '', '', '', '', '', '', '', '', '');

create table customer (c_w_id int, c_d_id int, c_id int, c_balance numeric, c_ytd_payment numeric, c_payment_cnt int, c_data text, c_delivery_cnt int, primary key (c_w_id, c_d_id, c_id));
insert into customer values (1, 1, 42, 0, 0, 0, '', 0), (1, 1, 43, 0, 0, 0, '', 0);

create table new_order (no_w_id int, no_d_id int, no_o_id int, primary key (no_w_id, no_d_id, no_o_id));
insert into new_order values (1, 1, 5), (1, 1, 6);

create table oorder (o_w_id int, o_d_id int, o_id int, o_carrier_id int, primary key (o_w_id, o_d_id, o_id));
insert into oorder values (1, 1, 5, null), (1, 1, 6, null);

create table order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_delivery_d timestamp, primary key (ol_w_id, ol_d_id, ol_o_id, ol_number));
insert into order_line values (1, 1, 5, 1, null), (1, 1, 5, 2, null);

create table xxl_job_lock (lock_name text, primary key (lock_name));
insert into xxl_job_lock values ('schedule_lock'), ('other');

create table xxl_job_info (id int, job_group int, job_desc text, update_time timestamp, author text, trigger_status int, trigger_last_time bigint, trigger_next_time bigint, primary key (id));
insert into xxl_job_info values (1, 1, null, null, null, 1, 0, 0), (2, 1, null, null, null, 1, 0, 0);

create table tokenentry (processorname text, segment int, token bytea, tokentype text, timestamp text, owner text, primary key (processorname, segment));
insert into tokenentry values ('projection', 0, null, null, null, 'node1'), ('other', 0, null, null, null, 'node1');

create table act_ge_property (name_ text, value_ text, rev_ int, primary key (name_));
insert into act_ge_property values ('next.dbid', '1', 1), ('deployment.lock', '0', 1);

create table act_ru_job (id_ varchar(64), rev_ int, lock_exp_time_ timestamp, lock_owner_ varchar(64), duedate_ timestamp, root_proc_inst_id_ varchar(64), process_instance_id_ varchar(64), exclusive_ boolean, suspension_state_ int, primary key (id_));
insert into act_ru_job values ('4', 1, null, null, null, null, null, null, null), ('5', 1, null, null, null, null, null, null, null);

create table act_ru_timer_job (id_ varchar(64), rev_ int, retries_ int, primary key (id_));
insert into act_ru_timer_job values ('4', 1, null), ('5', 1, null);

create table act_ru_suspended_job (id_ varchar(64), rev_ int, primary key (id_));
insert into act_ru_suspended_job values ('4', 1), ('5', 1);

create table act_ru_execution (id_ varchar(64), rev_ int, proc_def_id_ varchar(64), business_key_ varchar(64), act_id_ varchar(64), act_inst_id_ varchar(64), is_active_ boolean, is_concurrent_ boolean, is_scope_ boolean, is_event_scope_ boolean, parent_id_ varchar(64), super_exec_ varchar(64), suspension_state_ int, cached_ent_state_ int, sequence_counter_ bigint, tenant_id_ varchar(64), proc_def_key_ varchar(64), proc_inst_id_ varchar(64), lock_time_ timestamp, lock_owner_ varchar(64), task_count_ int, job_count_ int, timer_job_count_ int, primary key (id_));
insert into act_ru_execution values ('4', 1, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null), ('5', 1, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

create table act_ru_variable (id_ varchar(64), rev_ int, execution_id_ varchar(64), var_scope_ varchar(64), type_ varchar(64), bytearray_id_ varchar(64), double_ float8, long_ bigint, text_ varchar(64), text2_ varchar(64), sequence_counter_ bigint, primary key (id_));
insert into act_ru_variable values ('4', 1, null, null, null, null, null, null, null, null, null), ('5', 1, null, null, null, null, null, null, null, null, null);

create table act_ru_task (id_ varchar(64), rev_ int, name_ varchar(64), parent_task_id_ varchar(64), priority_ int, create_time_ timestamp, last_updated_ timestamp, owner_ varchar(64), assignee_ varchar(64), delegation_ varchar(64), execution_id_ varchar(64), proc_def_id_ varchar(64), case_execution_id_ varchar(64), case_inst_id_ varchar(64), case_def_id_ varchar(64), task_def_key_ varchar(64), description_ varchar(64), due_date_ timestamp, follow_up_date_ timestamp, suspension_state_ int, tenant_id_ varchar(64), task_state_ varchar(64), proc_inst_id_ varchar(64), claim_time_ timestamp, claimed_by_ varchar(64), state_ varchar(64), primary key (id_));
insert into act_ru_task values ('4', 1, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null), ('5', 1, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

create table act_hi_actinst (id_ varchar(64), rev_ int, execution_id_ varchar(64), proc_def_key_ varchar(64), proc_def_id_ varchar(64), act_id_ varchar(64), act_name_ varchar(64), act_type_ varchar(64), parent_act_inst_id_ varchar(64), assignee_ varchar(64), task_id_ varchar(64), act_inst_state_ int, end_time_ timestamp, duration_ bigint, removal_time_ timestamp, root_proc_inst_id_ varchar(64), primary key (id_));
insert into act_hi_actinst values ('4', 1, null, null, null, null, null, null, null, null, null, null, null, null, null, null), ('5', 1, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

create table act_hi_procinst (id_ varchar(64), rev_ int, root_proc_inst_id_ varchar(64), removal_time_ timestamp, proc_def_id_ varchar(64), proc_def_key_ varchar(64), business_key_ varchar(64), end_act_id_ varchar(64), delete_reason_ varchar(64), super_process_instance_id_ varchar(64), state_ varchar(64), end_time_ timestamp, duration_ bigint, primary key (id_));
insert into act_hi_procinst values ('4', 1, null, null, null, null, null, null, null, null, null, null, null), ('5', 1, null, null, null, null, null, null, null, null, null, null, null);

create table act_hi_varinst (id_ varchar(64), rev_ int, long_ bigint, text_ varchar(64), last_updated_time_ timestamp, primary key (id_));
insert into act_hi_varinst values ('4', 1, null, null, null), ('5', 1, null, null, null);

create table act_id_user (id_ varchar(64), rev_ int, first_ varchar(64), last_ varchar(64), email_ varchar(64), pwd_ varchar(64), salt_ varchar(64), primary key (id_));
insert into act_id_user values ('4', 1, null, null, null, null, null), ('5', 1, null, null, null, null, null);

create table act_id_membership (user_id_ text, group_id_ text, primary key (user_id_, group_id_));
insert into act_id_membership values ('ann', 'a'), ('ann', 'b');

create table programs (id bigint, name text, version bigint, primary key (id));
insert into programs values (1, 'a', 0), (2, 'b', 0);

create table tokens (token_id int, primary key (token_id));
insert into tokens values (1), (2);

create table consumer (name text, stream_name text, topic text, cursor text, attempt_max int, created_at bigint, updated_at bigint, primary key (name));
insert into consumer values ('billing', null, null, null, 1, 0, 0), ('other', null, null, null, 1, 0, 0);

create table repo (id text, primary key (id));
insert into repo values ('r1'), ('r2');

create table person (id int, name text, primary key (id));
insert into person values (1, 'Ann'), (2, 'Ben');

create table foo (id bigint, bar text, primary key (id));
insert into foo values (1, null), (2, null);

create table accounts (id bigint, owner text, balance bigint, currency text, created_at timestamptz, primary key (id));
insert into accounts values (1, 'Ann', 100, 'EUR', null), (2, 'Ben', 200, 'EUR', null);

create table wallets (id uuid, balance numeric, created_at timestamptz, updated_at timestamptz, primary key (id));
insert into wallets values ('6ecd8c99-4036-403d-bf84-cf8400f67836', 100, null, null), ('00000000-0000-0000-0000-000000000001', 200, null, null);

create table order_info (id int, state text, primary key (id));
insert into order_info values (1, 'new'), (2, 'new');
