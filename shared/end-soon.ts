/** Milliseconds for what is under way. */
const grace = 1000

/**
 * Ends this process with its exit code when it has nothing left to do, and in a second at the latest. What a config file
 * opened, such as a timer or a pool of connections, would keep it alive for ever.
 */
export function endSoon(): void {
  setTimeout(() => {
    // A reader that takes what was printed slowly gets all of it.
    if (process.stdout.writableLength + process.stderr.writableLength > 0) endSoon()
    // oxlint-disable-next-line no-restricted-properties -- nothing is left to be written
    else process.exit()
  }, grace).unref()
}
