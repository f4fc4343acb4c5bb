/**
 * The facts about connection pools and routing DataSources. Applications must not use this package: its types are
 * public for the sibling packages alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.pool;

import org.jspecify.annotations.NullMarked;
