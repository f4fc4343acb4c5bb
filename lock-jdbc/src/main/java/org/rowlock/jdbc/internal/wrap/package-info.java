/**
 * What the application gets in place of the driver's connection, statements and results. Without null marks, as JDBC
 * has none.
 */
package org.rowlock.jdbc.internal.wrap;
