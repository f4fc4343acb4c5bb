package org.rowlock.internal.text;

/**
 * The address of the documentation. Messages link to its pages, because the jar does not contain them. A test checks
 * each link.
 */
public final class Docs {
    /** The folder of the pages in the repository. The POM names the same repository. */
    public static final String URL = "https://github.com/rowlock/rowlock/blob/main/docs/";

    private Docs() {}
}
