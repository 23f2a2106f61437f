/**
 * The options of a program of this folder. For `--help`, and with exit code 2 for arguments that it does not have, the
 * program ends with its usage.
 */
export function programOptions<O extends { readonly isHelp: boolean }>(usage: string, read: () => O): O {
  const options = readOrExit(usage, read)
  if (!options.isHelp) return options
  process.stdout.write(usage)
  process.exit()
}

function readOrExit<O>(usage: string, read: () => O): O {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
