/** A small Spring Boot application, with Boot's own set-up of JPA, Spring Data and transactions. */
package org.rowlock.spring.shop;
