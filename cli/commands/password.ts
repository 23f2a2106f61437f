import type { Context } from '../context.ts'
import { readSecret } from '../secret.ts'

export const passwordOption = ['--password-file <file>', 'file that holds the password, - for stdin'] as const

/** The password from the file that the flag or POSTERN_PASSWORD_FILE names; undefined leaves it to a person. */
export async function passwordFrom({ host }: Context, file: string | undefined): Promise<string | undefined> {
  const path = file ?? host.env['POSTERN_PASSWORD_FILE']
  return path ? readSecret(path, file ? '--password-file' : 'POSTERN_PASSWORD_FILE', host.stdin) : undefined
}
