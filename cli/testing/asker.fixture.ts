// Asks a service once with a jar, and tells what came of it.
import { openJar } from '../client/jar/jar.ts'
import { createTransport } from '../client/transport/transport.ts'
import { patience } from './patience.ts'

const [baseUrl = '', file = '', proxy = '', no = ''] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)
const origin = new URL(baseUrl).origin
const jar = await openJar(file, origin, 'me@example.com')
const transport = createTransport({
  baseUrl,
  jar,
  timeout: patience,
  retries: 0,
  userAgent: 'postern/test',
  ...(proxy ? { proxy: { https: { name: 'HTTPS_PROXY', url: proxy }, no: no || undefined } } : {}),
})
try {
  const { status } = await transport.send({ method: 'POST', path: '/sign-in/email' })
  say(`${status} ${await jar.cookieHeader(origin)}`)
} catch (error) {
  say(String(error))
}
