/** The settings of a DataSource or a URL, as words. */
@NullMarked
package org.rowlock.jdbc.internal.settings;

import org.jspecify.annotations.NullMarked;
