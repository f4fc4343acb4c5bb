/**
 * The measured server, which is embedded or the user's own, the network to the server, and the schema with the tables
 * of a run.
 */
@NullMarked
package org.rowlock.jmh.server;

import org.jspecify.annotations.NullMarked;
