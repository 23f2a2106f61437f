import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findCall } from '../client/calls.ts'
import { isChange } from '../client/check-answer.ts'
import type { Relay } from './interceptor.ts'

/** A question and its answer as the wire had them. */
export interface Exchange {
  readonly call: string
  /** Path, query and body as sent. */
  readonly asked: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Changes nothing at the service. */
  readonly isReading: boolean
}

/** The record of `POST /sign-out`. */
export const contractCall = (call: string) => {
  const [method = '', path = ''] = call.split(' ')
  return findCall(method, path)
}

/** A relay that asks the service and keeps what it answers, in the order of the questions. */
export function recorder(): { readonly relay: Relay; readonly exchanges: Exchange[] } {
  const exchanges: Exchange[] = []
  const relay: Relay = async (call, request, ask) => {
    const asked = `${request.url} ${await request.clone().text()}`
    const answer = await ask()
    const { status, headers } = answer
    const text = await answer.clone().text()
    const known = await contractCall(call)
    const isReading = known ? !isChange(known) : request.method === 'GET'
    exchanges.push({ call, asked, status, headers: new Headers(headers), text, isReading })
    return lastOfConnection(answer)
  }
  return { relay, exchanges }
}

/** A relay that repeats what was recorded, call by call, but for the answers that `lie` gives. The service hears nothing. */
export function replay(exchanges: readonly Exchange[], lie: (exchange: Exchange) => Response | undefined): Relay {
  const left = [...exchanges]
  return async (call) => {
    const next = left.findIndex((exchange) => exchange.call === call)
    // What was not asked when nobody lied, such as a question again, gets the last answer of its call.
    const exchange = next < 0 ? exchanges.findLast((one) => one.call === call) : left.splice(next, 1)[0]
    if (!exchange) return new Response(null, { status: 404 })
    return lastOfConnection(lie(exchange) ?? repeated(exchange))
  }
}

function repeated({ status, headers, text }: Exchange): Response {
  const hasBody = ![101, 204, 205, 304].includes(status)
  return new Response(hasBody ? text : null, { status, headers })
}

/** Ends the connection with the answer: a command that runs in this process leaves its own open. */
function lastOfConnection(answer: Response): Response {
  const headers = new Headers(answer.headers)
  headers.set('connection', 'close')
  return new Response(answer.body, { status: answer.status, headers })
}

/** A copy of a folder that can be put back. */
export function keepFolder(folder: string, copy: string): { readonly putBack: () => void } {
  const replace = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true, preserveTimestamps: true })
    // Node 24 gives copied folders its own mode, and the jar refuses a folder that others can read.
    for (const name of ['', ...readdirSync(from, { recursive: true, encoding: 'utf8' })])
      chmodSync(join(to, name), statSync(join(from, name)).mode)
  }
  replace(folder, copy)
  return { putBack: () => replace(copy, folder) }
}

/** Every file of a folder with its content. */
export const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]),
  )
