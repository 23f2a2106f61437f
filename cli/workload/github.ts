import { AnswerError } from '../client/errors.ts'
import { parseJson } from '../client/json.ts'
import { checkBase } from '../client/transport/address.ts'
import { clientErrorOf } from '../client/transport/client-error.ts'
import { createHttpClient, type HttpResponse } from '../client/transport/http-client.ts'
import type { Job, Way } from './job.ts'

/** GitHub Actions makes one for each request of a job that has `permissions: id-token: write`. */
export const tokenOfGitHub: Way = async (job) => {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = job.env
  return address && token ? ask(job, address, token) : undefined
}

/** The one call that goes elsewhere than to the service: https, or http to this machine, and no redirects. */
async function ask(job: Job, address: string, token: string): Promise<string> {
  const url = addressFor(address, job.audience)
  const client = createHttpClient(url, job.timeout, job.proxy)
  const signal = AbortSignal.any([job.signal, AbortSignal.timeout(job.timeout)])
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  try {
    return await tokenIn(url.origin, await client.send({ method: 'GET', url, headers, body: null, signal }))
  } catch (error) {
    job.signal.throwIfAborted()
    throw clientErrorOf(url.origin, error, 'GET')
  } finally {
    await client.close()
  }
}

/** It has a query of its own. */
function addressFor(address: string, audience: string): URL {
  const [base = '', query = ''] = address.split('?')
  const url = checkBase(base)
  url.search = query
  url.searchParams.set('audience', audience)
  return url
}

async function tokenIn(origin: string, { status, text }: HttpResponse): Promise<string> {
  const body = await text()
  const { value } = status === 200 ? valueIn(body) : {}
  if (typeof value === 'string') return value
  throw new AnswerError(`${origin} gave no id token (status ${status})`, 'Run the job again; GitHub may have an outage')
}

function valueIn(body: string): { readonly value?: unknown } {
  try {
    return Object(parseJson(body))
  } catch {
    return {}
  }
}
