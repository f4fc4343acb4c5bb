package org.rowlock.examples.shop;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Turns exceptions into HTTP responses. */
@RestControllerAdvice
class ErrorResponses {

    // snippet: busy
    /** Returns the response if a lock was not acquired in time. The request had no effect, so the client may retry. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> busy(CannotAcquireLockException e) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, "1")
                .body(ProblemDetail.forStatusAndDetail(
                        HttpStatus.SERVICE_UNAVAILABLE, "The row is in use. Try again."));
    }
    // end

    @ExceptionHandler
    ProblemDetail refused(OrderRefusedException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage());
    }

    /** Returns the response if the row to lock does not exist. The request had no effect. */
    @ExceptionHandler
    ProblemDetail absent(EmptyResultDataAccessException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "There is no such order or product.");
    }

    @ExceptionHandler
    ProblemDetail notFound(NotFoundException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, e.getMessage());
    }
}
