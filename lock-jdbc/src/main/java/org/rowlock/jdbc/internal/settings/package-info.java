/** The settings of a DataSource or a URL. */
@NullMarked
package org.rowlock.jdbc.internal.settings;

import org.jspecify.annotations.NullMarked;
