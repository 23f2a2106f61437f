import { expect } from 'vitest'
import type { Pty } from './pty.ts'

export interface LineDialogue {
  /** Waits for the question; answers what was said since the last answer. */
  readonly asks: (question: string) => Promise<string>
  /** Waits for the question, then answers it. */
  readonly answer: (question: string, text: string) => Promise<void>
  /** Chooses the line of the menu that has that label. */
  readonly choose: (label: string) => Promise<void>
}

/**
 * A conversation in lines with what runs in a pseudo-terminal. It reads only what came after its last answer: what
 * the screen still shows may be the question before, not yet even echoed.
 */
export function dialogueWith(pty: Pty): LineDialogue {
  let answered = 0
  const said = () => pty.raw().slice(answered).trimEnd()
  const asks = async (question: string) => {
    await expect.poll(() => said().slice(-question.length)).toBe(question)
    return said()
  }
  const answer = async (question: string, text: string) => {
    await asks(question)
    answered = pty.raw().length
    pty.type(`${text}\r`)
  }
  const choose = async (label: string) => {
    const lines = (await asks('Number:')).split(/\r?\n/)
    const number = lines.findLast((line) => /^\d+\. /.test(line) && line.includes(label))?.split('.')[0]
    expect(number, `${label} in\n${lines.join('\n')}`).toBeDefined()
    await answer('Number:', number ?? '')
  }
  return { asks, answer, choose }
}
