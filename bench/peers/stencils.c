// The stencils as a careful C programmer would write them: one step after the other, rows divided among all cores with
// OpenMP, and an inner loop without wrapping that the compiler turns into vector code.

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Heat on a cylinder; `end` has room for rows x columns cells. Returns the steps taken, or -1 without memory.
long heat(const double *temperature, const double *conductivity, long rows, long columns, long steps, double threshold,
          double *end) {
    const double direct = 0.25 * M_SQRT2 / (M_SQRT2 + 1.0), diagonal = 0.25 / (M_SQRT2 + 1.0);
    // A row above and one below that never change, and a column at each side that mirrors the other side.
    const long stride = columns + 2;
    double *old = malloc((rows + 2) * stride * sizeof *old), *new = malloc((rows + 2) * stride * sizeof *new);
    if (!old || !new) {
        free(old);
        free(new);
        return -1;
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < rows + 2; i++) {
        const double *from = temperature + (i == 0 ? 0 : i == rows + 1 ? rows - 1 : i - 1) * columns;
        for (int k = 0; k < 2; k++) {
            double *to = (k ? new : old) + i * stride;
            memcpy(to + 1, from, columns * sizeof *to);
            to[0] = from[columns - 1];
            to[columns + 1] = from[0];
        }
    }
    long step = 0;
    while (step < steps) {
        double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
        for (long i = 0; i < rows; i++) {
            const double *restrict above = old + i * stride;
            const double *restrict here = above + stride, *restrict below = here + stride;
            const double *restrict w = conductivity + i * columns;
            double *restrict to = new + (i + 1) * stride;
#pragma omp simd reduction(max : largest)
            for (long j = 1; j <= columns; j++) {
                double rest = 1.0 - w[j - 1];
                double next = w[j - 1] * here[j] +
                              rest * direct * (above[j] + below[j] + here[j - 1] + here[j + 1]) +
                              rest * diagonal * (above[j - 1] + above[j + 1] + below[j - 1] + below[j + 1]);
                double change = fabs(next - here[j]);
                to[j] = next;
                largest = change > largest ? change : largest;
            }
            to[0] = to[columns];
            to[columns + 1] = to[1];
        }
        double *other = old;
        old = new;
        new = other;
        step++;
        if (largest < threshold)
            break;
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < rows; i++)
        memcpy(end + i * columns, old + (i + 1) * stride + 1, columns * sizeof *end);
    free(old);
    free(new);
    return step;
}

// The radiator of 2025, from its initial values; `end` has room for rows x columns elements, at least four columns.
long radiator(long rows, long columns, long steps, float *end) {
    const float c[5] = {1.60f, 1.55f, 1.00f, 0.60f, 0.25f};
    float *old = malloc(rows * columns * sizeof *old), *new = malloc(rows * columns * sizeof *new);
    if (!old || !new) {
        free(old);
        free(new);
        return -1;
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++) {
            double row = 0.98 * (i + 1.0) * (i + 1.0) / ((double)rows * rows);
            old[i * columns + j] = (float)(row * (double)(columns - j) * (columns - j) / ((double)columns * columns));
        }
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < rows; i++) {
            const float *restrict from = old + i * columns;
            float *restrict to = new + i * columns;
            to[0] = from[0];
            to[1] = (c[0] * from[columns - 1] + c[1] * from[0] + c[2] * from[1] + c[3] * from[2] + c[4] * from[3]) / 5.0f;
            for (long j = 2; j < columns - 2; j++)
                to[j] = (c[0] * from[j - 2] + c[1] * from[j - 1] + c[2] * from[j] + c[3] * from[j + 1] +
                         c[4] * from[j + 2]) /
                        5.0f;
            for (long j = columns - 2; j < columns; j++)
                to[j] = (c[0] * from[j - 2] + c[1] * from[j - 1] + c[2] * from[j] + c[3] * from[(j + 1) % columns] +
                         c[4] * from[(j + 2) % columns]) /
                        5.0f;
        }
        float *other = old;
        old = new;
        new = other;
    }
    memcpy(end, old, rows * columns * sizeof *end);
    free(old);
    free(new);
    return steps;
}
