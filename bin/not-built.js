import { existsSync } from 'node:fs'

const isBuilt = () => existsSync(new URL('../dist/cli/main.js', import.meta.url))

/** In a clone that was installed without its scripts there is nothing to run yet. Any other error is one of the program. */
export function explain(cause) {
  if (isBuilt()) throw cause
  process.stderr.write('error: Postern is not built here yet: npm run dependencies\n')
  process.exitCode = 1
}
