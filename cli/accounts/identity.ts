import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts'
import { isMachineKey, looksLikeMachineKey } from '../../shared/key-text.ts'
import { usageError } from '../output/cli-error.ts'
import { unreadableHint, whyUnreadable } from '../process/file-faults.ts'
import type { Environment } from '../process/host.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountRef, Accounts } from './accounts.ts'

/** The identity of this run: a token from the environment, a stored account, or nobody. */
export interface Identity {
  readonly token?: string
  /** The file that the token was read from. */
  readonly file?: string
  readonly account?: AccountRef
  readonly from: string
}

/**
 * An account from `--account` takes precedence over a token from the environment. An account from anywhere else does
 * not.
 */
export async function findIdentity(
  env: Environment,
  {
    account: { value: email, from },
    address: {
      value: { origin },
    },
  }: Pick<Settings, 'account' | 'address'>,
  accounts: Accounts,
): Promise<Identity> {
  const named = email === undefined ? undefined : { account: { origin, email }, from }
  const first = named?.from === '--account' ? named : ((await tokenOf(env)) ?? named)
  if (first) return first
  const account = await accounts.current(origin)
  return account === undefined ? { from: 'not set' } : { account, from: 'current account' }
}

async function tokenOf(env: Environment): Promise<Identity | undefined> {
  const token = env['POSTERN_TOKEN']
  if (token) return { token: checkToken(token, 'POSTERN_TOKEN'), from: 'POSTERN_TOKEN' }
  const file = env['POSTERN_TOKEN_FILE']
  return file ? { token: await readToken(file), file: resolve(file), from: 'POSTERN_TOKEN_FILE' } : undefined
}

async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw usageError(`POSTERN_TOKEN_FILE cannot be read: ${file} (${whyUnreadable(cause)})`, unreadableHint, [
      'POSTERN_TOKEN_FILE',
    ])
  })
  return checkToken(withoutByteOrderMark(text).replace(/\r?\n$/, ''), 'POSTERN_TOKEN_FILE', `: ${file}`)
}

/** Whether a header can hold it. */
export const isHeaderToken = (text: string): boolean => /^[\x21-\x7e]{1,8192}$/.test(text)

/**
 * Refuses what no header can hold, before it is sent anywhere. The checksum of a machine key also catches a truncated
 * or mistyped one.
 */
function checkToken(token: string, variable: string, place = ''): string {
  if (!isHeaderToken(token))
    throw usageError(
      `${variable} does not contain a token${place}`,
      token === ''
        ? 'The file is empty: write a machine key or a session token to it'
        : 'A token has no spaces or line ends',
      [variable],
    )
  if (!looksLikeMachineKey(token) || isMachineKey(token)) return token
  throw usageError(
    `${variable} holds a truncated or mistyped machine key: its checksum is wrong`,
    'Copy the whole key without spaces and quotes: pst_ followed by 49 letters and digits',
    [variable],
  )
}
