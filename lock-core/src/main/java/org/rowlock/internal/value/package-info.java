/**
 * The internal forms of the values of the API, with the parts that users do not need. Start at {@link
 * org.rowlock.internal.value.RequestParts}.
 */
@NullMarked
package org.rowlock.internal.value;

import org.jspecify.annotations.NullMarked;
