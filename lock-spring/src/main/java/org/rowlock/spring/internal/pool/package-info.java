/**
 * Reads the settings of connection pools, and the targets of routing DataSources. Applications must not use this
 * package: its types are public only for the sibling packages, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.pool;

import org.jspecify.annotations.NullMarked;
