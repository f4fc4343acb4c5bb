/**
 * JDBC's interfaces, each handed on as a whole. Without null marks, as JDBC has none.
 */
package org.rowlock.jdbc.internal.forward;
