/** UPDATEs in autocommit of callers who wait for one row, sent in one transaction by one of them. */
@NullMarked
package org.rowlock.jdbc.internal.group;

import org.jspecify.annotations.NullMarked;
