/**
 * Support for tests on a real PostgreSQL. {@link org.rowlock.testing.TestPostgres} finds or starts the server.
 * {@link org.rowlock.testing.TestDatabase} gives each test a schema, and checks afterwards that nothing is left behind.
 * {@link org.rowlock.testing.Session} plays one part of a schedule.
 */
package org.rowlock.testing;
