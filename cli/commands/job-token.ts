import { proxyOf } from '../client/connect.ts'
import type { Context } from '../context.ts'
import { idTokenOf } from '../workload/id-token.ts'

/** The id token of the CI job that this runs in, made for that audience. */
export const idTokenFor = ({ host, settings }: Context, audience: string): Promise<string> => {
  const { env, cwd, signal } = host
  return idTokenOf({ env, cwd, signal, audience, timeout: settings.timeout.value, proxy: proxyOf(host) })
}
