package org.rowlock.examples.shop;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What went wrong, as HTTP says it. */
@RestControllerAdvice
class ErrorResponses {

    // snippet: busy
    /** The wait for a lock is over, in the queue of this JVM or on the server. Nothing has happened: try again. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> busy(CannotAcquireLockException e) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, "1")
                .body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Others are at it. Try again."));
    }
    // end

    @ExceptionHandler
    ProblemDetail refused(OrderRefusedException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage());
    }

    /** A row that was to be locked does not exist: the method has not run. */
    @ExceptionHandler
    ProblemDetail absent(EmptyResultDataAccessException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "There is no such order or product.");
    }

    @ExceptionHandler
    ProblemDetail notFound(NotFoundException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, e.getMessage());
    }
}
