/** What a DataSource or a URL is set to, by words. */
@NullMarked
package org.rowlock.jdbc.internal.settings;

import org.jspecify.annotations.NullMarked;
