#include <cstdio>

void squares(int *host, int n);

int main() {
    int numbers[200];
    for (int i = 0; i < 200; i++) numbers[i] = i;
    squares(numbers, 200);
    std::printf("%d %d\n", numbers[3], numbers[199]);
}
