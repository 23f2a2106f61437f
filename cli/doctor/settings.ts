import { access, constants } from 'node:fs/promises'
import { proxyOf } from '../client/connect.ts'
import type { Context } from '../context.ts'
import type { Settings } from '../settings/settings.ts'
import { knownVariables } from '../topics/environment.ts'
import { type Finding, ok, problem, refused, warning } from './finding.ts'

const names = [
  'profile',
  'address',
  'account',
  'organization',
  'timeout',
  'retries',
  'color',
  'readOnly',
  'debug',
] as const

/** Each setting as a command would read it, and variables that are not what they seem. */
export function settingFindings({ settings, host: { env } }: Context): readonly Finding[] {
  const wrong = names.flatMap((name) => settingFinding(settings, name))
  const found = [...wrong, ...unknownVariables(env), ...contradictions(env)]
  return found.length > 0 ? found : [ok('settings', `${settings.address.value.base}, said by ${settings.address.from}`)]
}

function settingFinding(settings: Settings, name: (typeof names)[number]): readonly Finding[] {
  try {
    const { value, from } = settings[name]
    const isClear = typeof value === 'object' && value.allowHttp === true && value.base.startsWith('http:')
    return isClear ? [warning('settings', `${value.base} is asked in clear text, allowed by ${from}`, 'Use https')] : []
  } catch (error) {
    return [refused('settings', error)]
  }
}

function unknownVariables(env: Context['host']['env']): readonly Finding[] {
  const known = knownVariables()
  return Object.keys(env)
    .filter((name) => name.startsWith('POSTERN_') && env[name] !== undefined && !known.includes(name))
    .map((name) =>
      warning('settings', `${name} is set, and nothing reads it`, 'See what is read: postern help environment'),
    )
}

/** The first of them counts, and the second one was meant as well. */
const pairs: readonly (readonly [first: string, second: string])[] = [
  ['POSTERN_TOKEN', 'POSTERN_TOKEN_FILE'],
  ['POSTERN_TOKEN', 'POSTERN_ACCOUNT'],
  ['POSTERN_TOKEN_FILE', 'POSTERN_ACCOUNT'],
  ['NO_COLOR', 'FORCE_COLOR'],
]

const contradictions = (env: Context['host']['env']): readonly Finding[] =>
  pairs
    .filter(([first, second]) => env[first] && env[second])
    .map(([first, second]) =>
      warning('settings', `${first} and ${second} are set: the first one counts`, `unset ${second}`),
    )

/** The way out: a proxy, and authorities of one's own. */
export async function networkFindings({ host }: Context): Promise<readonly Finding[]> {
  const { http, https } = proxyOf(host)
  const proxy = https || http
  const file = host.env['NODE_EXTRA_CA_CERTS']
  const found: Finding[] = []
  if (proxy && !URL.canParse(proxy))
    found.push(problem('network', 'The proxy setting is not a URL', 'Check HTTPS_PROXY and HTTP_PROXY'))
  else if (proxy) found.push(ok('network', `Through the proxy ${new URL(proxy).host}; this machine directly`))
  if (file && !(await isReadable(file)))
    found.push(
      problem(
        'network',
        `NODE_EXTRA_CA_CERTS names ${file}, which cannot be read`,
        'Give the path of a file that you may read',
      ),
    )
  return found.length > 0 ? found : [ok('network', file ? `No proxy; authorities of ${file} too` : 'No proxy')]
}

const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )
