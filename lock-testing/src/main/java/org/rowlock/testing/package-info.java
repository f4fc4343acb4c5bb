/**
 * Support for tests on a real PostgreSQL. {@link org.rowlock.testing.TestPostgres} finds or starts the server. {@link
 * org.rowlock.testing.TestDatabase} gives each test a schema, and checks afterwards that nothing is left behind. {@link
 * org.rowlock.testing.Session} is one of several concurrent sessions in a test.
 */
package org.rowlock.testing;
