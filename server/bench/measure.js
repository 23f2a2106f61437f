import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'

/** Starts a server program; gives its address, its cost so far, and its end. */
export async function startServer(file, env) {
  const child = fork(new URL(file, import.meta.url), {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = await once(child, 'message')
  const cost = async () => {
    child.send('cost')
    const [{ cpu, rss }] = await once(child, 'message')
    return { cpu: (cpu.user + cpu.system) / 1000, rss: rss / 1048576 }
  }
  const stop = async () => {
    const exited = once(child, 'exit')
    child.disconnect()
    await exited
  }
  return { url, cost, stop }
}

/** Sends `count` requests, `width` at a time; gives requests a second, CPU ms a request and the waits in ms. */
export async function load(server, { count, width, request }) {
  const pool = new Pool(server.url, { connections: width, pipelining: 1 })
  const waits = []
  const before = await server.cost()
  const start = performance.now()
  let next = 0
  const worker = async () => {
    while (next < count) {
      next += 1
      const at = performance.now()
      const { statusCode, body } = await pool.request(request(next))
      await body.dump()
      if (statusCode !== 200) throw new Error(`${request(next).path} answered ${statusCode}`)
      waits.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  const seconds = (performance.now() - start) / 1000
  const after = await server.cost()
  await pool.close()
  waits.sort((a, b) => a - b)
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]
  return { rate: count / seconds, cpu: (after.cpu - before.cpu) / count, rss: after.rss, p50: at(0.5), p99: at(0.99) }
}

/** A person signed up on a server; gives the cookie header. */
export async function signUp({ url }, email) {
  const answer = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse battery', name: 'Ann' }),
  })
  if (!answer.ok) throw new Error(`Sign-up answered ${answer.status}: ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

/** Each request is the next person's. */
export const getSession =
  (...cookies) =>
  (n) => ({ path: '/api/auth/get-session', method: 'GET', headers: { cookie: cookies[n % cookies.length] } })

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

export const print = (name, value) => process.stdout.write(`${name.padEnd(58)} ${value}\n`)
