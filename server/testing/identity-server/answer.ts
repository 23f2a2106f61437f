import type { IncomingMessage, ServerResponse } from 'node:http'
import { authorize, type Callback } from './authorize.ts'
import { asksBesides } from './more.ts'
import { profile } from './profile.ts'
import type { RefusalStyle } from './rules.ts'
import { type Place, Refusal, type Seen, type Stand } from './scene.ts'
import { tokens } from './token.ts'
import { makeTrouble } from './trouble.ts'

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Ask = (stand: Stand, seen: Seen) => unknown

/** What one provider does with a request below its folder. */
export async function answer(stand: Stand, path: string, request: IncomingMessage, response: ServerResponse) {
  const found = placeOf(stand, path)
  if (!found) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')
  const [place, ask] = found
  const seen = await readRequest(place, request)
  stand.seen.push(seen)
  const trouble = place === 'authorize' ? undefined : stand.scene.trouble?.[place]
  if (trouble) return makeTrouble(response, trouble)
  const { status, body, headers } = await tried(stand, seen, ask)
  if (place === 'authorize' && status === 200) return sendBrowserBack(response, body as Callback)
  const isBytes = body instanceof Uint8Array
  response.writeHead(status, { 'content-type': isBytes ? 'image/jpeg' : 'application/json', ...headers })
  response.end(isBytes ? body : JSON.stringify(body))
}

function placeOf(stand: Stand, path: string): readonly [Seen['place'], Ask] | undefined {
  const { paths } = stand.rules
  if (path === paths.authorize) return ['authorize', authorize]
  if (path === paths.token) return ['token', tokens]
  if (path === paths.profile) return ['profile', profile]
  if (path === paths.keys) return ['keys', shownKeys]
  const more = asksBesides[stand.id]?.[path]
  return more && ['more', (asked, seen) => changed(asked, more(asked, seen))]
}

const changed = ({ scene }: Stand, told: unknown): unknown => (scene.more ? scene.more(told as never) : told)

const shownKeys: Ask = ({ keys }) => ({ keys: Object.values(keys).map(({ shown }) => shown) })

async function tried(stand: Stand, seen: Seen, ask: Ask): Promise<Answer> {
  try {
    return { status: 200, body: await ask(stand, seen) }
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal('invalid_client', String(error))
    stand.complaints.push(`${stand.id}, ${seen.place}: ${refusal.message}`)
    return refusalOf(stand, seen.place, refusal)
  }
}

/** A refusal in the provider's own words: some have a shape of their own, some a status of their own. */
function refusalOf({ id, rules }: Stand, place: Place | 'authorize', { code, message }: Refusal): Answer {
  const status = code === 'invalid_client' || code === 'invalid_token' ? 401 : 400
  if (place !== 'token') return { status, body: { code: 124, message } }
  // Reddit tells a wrong client with a challenge, and all else with a 200.
  if (id === 'reddit' && status === 401) return { status, body: {}, headers: { 'www-authenticate': 'Basic realm="r"' } }
  return tokenRefusals[rules.refusals ?? 'standard'](code, message, status)
}

const tokenRefusals: Record<RefusalStyle, (code: string, message: string, status: number) => Answer> = {
  standard: (error, description, status) => ({ status, body: { error, error_description: description } }),
  ok: (error, description) => ({ status: 200, body: { error, error_description: description } }),
  nested: (_code, message) => ({
    status: 400,
    body: { error: { message, type: 'OAuthException', code: 100, fbtrace_id: 'A' } },
  }),
  status: (_code, message, status) => ({ status, body: { status, message } }),
  reason: (error, reason, status) => ({ status, body: { reason, error } }),
  'free-text': () => ({ status: 400, body: { error: 'Invalid request' } }),
}

function sendBrowserBack(response: ServerResponse, { url, form }: Callback): void {
  if (form === undefined) return void response.writeHead(302, { location: url }).end()
  const inputs = [...new URLSearchParams(form)].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('"', '&quot;')}">`,
  )
  response.writeHead(200, { 'content-type': 'text/html' })
  response.end(`<!doctype html><form method="post" action="${url}">${inputs.join('')}</form>`)
}

async function readRequest(place: Seen['place'], request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const { url = '', method = 'GET', headers } = request
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  return {
    place,
    method,
    query,
    parameters: Object.fromEntries(new URLSearchParams(query)),
    headers: headers as Record<string, string>,
    form: Object.fromEntries(new URLSearchParams(body)),
    body,
  }
}
