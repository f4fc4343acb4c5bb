/**
 * The drop-in for programs that lock rows with SQL: {@link org.rowlock.jdbc.RowlockDataSource} around a DataSource, or
 * {@link org.rowlock.jdbc.RowlockDriver} by the URL {@code jdbc:rowlock:postgresql://...}.
 */
@NullMarked
package org.rowlock.jdbc;

import org.jspecify.annotations.NullMarked;
