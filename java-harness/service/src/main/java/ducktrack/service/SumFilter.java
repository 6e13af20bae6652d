package ducktrack.service;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.zip.CRC32;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Adds the checksum of each body that is not a stream as a header. */
@Component
class SumFilter extends OncePerRequestFilter {
    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getRequestURI().equals("/lines")) {
            response.setHeader("X-Sum", "none");
            chain.doFilter(request, response);
            return;
        }
        ContentCachingResponseWrapper wrapper = new ContentCachingResponseWrapper(response);
        chain.doFilter(request, wrapper);
        CRC32 sum = new CRC32();
        sum.update(wrapper.getContentAsByteArray());
        wrapper.setHeader("X-Sum", Long.toHexString(sum.getValue()));
        wrapper.copyBodyToResponse();
    }
}
