import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { Keyboard } from './keyboard.ts'
import { escapeKey } from './strokes.ts'

function open() {
  const modes: boolean[] = []
  const calls = { setRawMode: (on: boolean) => modes.push(on), resume: () => {}, pause: () => {} }
  const stdin = Object.assign(new EventEmitter(), calls) as unknown as NodeJS.ReadStream
  let interrupts = 0
  const keyboard = new Keyboard(stdin, () => {
    interrupts += 1
  })
  const got: string[] = []
  keyboard.start()
  // Reads like Ink: everything available, on every `readable` event.
  keyboard.addListener('readable', () => {
    for (let text = keyboard.read(); text !== null; text = keyboard.read()) {
      got.push(keyboard.isPasting ? `<${text}>` : text)
    }
  })
  return { keyboard, stdin, got, modes, interrupts: () => interrupts }
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function gets(got: readonly string[], count: number): Promise<readonly string[]> {
  for (let tries = 0; got.length < count && tries < 500; tries += 1) await wait(2)
  return got
}

/** More turns than React needs on an idle machine. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('keys that arrive in one read are given one at a time, with turns in between to paint in', async () => {
  const { keyboard, stdin, got } = open()
  const painted: boolean[] = []
  let isPainted = false
  keyboard.addListener('readable', () => {
    painted.push(isPainted)
    setImmediate(() =>
      setImmediate(() => {
        isPainted = true
      }),
    )
  })
  stdin.emit('data', 'Dy')
  expect(got).toEqual([])
  expect(await gets(got, 2)).toEqual(['D', 'y'])
  expect(painted).toEqual([false, true])
})

test('the next key waits until the one before is painted, however many turns that takes', async () => {
  const { keyboard, stdin, got } = open()
  let asked = 0
  const leave = keyboard.paintWith((number) => {
    asked = number
  })
  stdin.emit('data', 'Dy')
  await manyTurns()
  expect(got).toEqual([])
  const first = asked
  keyboard.painted(first)
  await manyTurns()
  expect([got, keyboard.isIdle]).toEqual([['D'], false])
  // The paint from before the key must not release the next stroke.
  keyboard.painted(first)
  await manyTurns()
  expect(got).toEqual(['D'])
  keyboard.painted(asked)
  expect(await gets(got, 2)).toEqual(['D', 'y'])
  stdin.emit('data', 'z')
  leave()
  expect(await gets(got, 3)).toEqual(['D', 'y', 'z'])
})

test('a character cut between two reads arrives whole', async () => {
  const { stdin, got } = open()
  const [first, second] = [Buffer.from('日').subarray(0, 1), Buffer.from('日').subarray(1)]
  stdin.emit('data', first)
  stdin.emit('data', second)
  expect(await gets(got, 1)).toEqual(['日'])
})

test('escape alone is a key after a moment, and never joins what comes later', async () => {
  const { stdin, got } = open()
  stdin.emit('data', '\u001b')
  expect(await gets(got, 1)).toEqual([escapeKey])
  stdin.emit('data', '[A')
  expect(await gets(got, 3)).toEqual([escapeKey, '[', 'A'])
})

test('while a text field listens, letters that wait are one stroke, and other keys stay keys', async () => {
  const { keyboard, stdin, got } = open()
  stdin.emit('data', 'ab')
  expect(await gets(got, 2)).toEqual(['a', 'b'])
  const leave = keyboard.joinLetters()
  stdin.emit('data', 'a b 日👩‍👩‍👧\tc\r\u001b[Ade\u007f\u001b[200~one\u001b[201~f')
  const keys = ['<a b 日👩‍👩‍👧>', '\t', 'c', '\r', '\u001b[A', '<de>', '\u007f', '<one>', 'f']
  expect((await gets(got, 2 + keys.length)).slice(2)).toEqual(keys)
  leave()
  stdin.emit('data', 'cd')
  expect((await gets(got, got.length + 2)).slice(-2)).toEqual(['c', 'd'])
})

test('a slow paste stays a paste', async () => {
  const { stdin, got } = open()
  stdin.emit('data', '\u001b[200~D\r')
  await wait(60)
  stdin.emit('data', 'y\u001b[201~j')
  expect(await gets(got, 2)).toEqual(['<D y>', 'j'])
})

test('what is left of a paste beyond all measure is no key either', async () => {
  const { stdin, got } = open()
  stdin.emit('data', `\u001b[200~${'x'.repeat(1_000_001)}`)
  stdin.emit('data', 'Dy\u001b[20')
  stdin.emit('data', '1~j')
  expect(await gets(got, 2)).toEqual(['<xxxxxDy>', 'j'])
})

test('Ctrl+C interrupts without waiting for any screen, but not from inside a paste', () => {
  const { stdin, interrupts } = open()
  stdin.emit('data', '\u001b[200~\u0003\u001b[201~')
  expect(interrupts()).toBe(0)
  stdin.emit('data', 'abc\u0003')
  expect(interrupts()).toBe(1)
})

test('Ctrl+C interrupts a paste whose end never comes', () => {
  const { stdin, interrupts } = open()
  stdin.emit('data', '\u001b[200~abc')
  stdin.emit('data', '\u0003')
  expect(interrupts()).toBe(1)
})

test('raw mode is its own, from start to stop, whatever Ink counts', () => {
  const { keyboard, modes } = open()
  keyboard.setRawMode()
  keyboard.stop()
  expect(modes).toEqual([true, false])
})

test('what comes too early waits with all that is typed after it, and escape drops it', async () => {
  const { keyboard, stdin, got } = open()
  keyboard.addListener('readable', () => {
    if (got.length === 1) keyboard.hold()
  })
  stdin.emit('data', 'jk')
  await manyTurns()
  stdin.emit('data', 'D')
  await manyTurns()
  expect([got, keyboard.isIdle]).toEqual([['j'], false])
  keyboard.release()
  expect(await gets(got, 4)).toEqual(['j', 'j', 'k', 'D'])
  keyboard.hold()
  stdin.emit('data', 'y\u001b[27ux')
  expect(await gets(got, 6)).toEqual(['j', 'j', 'k', 'D', escapeKey, 'x'])
})

test('whether the window is looked at is told at once, and is no key', async () => {
  const { keyboard, stdin, got } = open()
  const told: boolean[] = []
  keyboard.on('focus', (isFocused: boolean) => told.push(isFocused))
  stdin.emit('data', 'a\u001b[O\u001b[')
  stdin.emit('data', 'Ib\u001b[200~\u001b[O\u001b[201~')
  expect(told).toEqual([false, true])
  expect(await gets(got, 3)).toEqual(['a', 'b', '<[O>'])
  keyboard.stop()
})

test('reports of the mouse come in turn with the keys, and no reader of keys gets one', async () => {
  const { keyboard, stdin, got } = open()
  const all: string[] = []
  keyboard.on('mouse', ({ kind, line }) => all.push(`${kind} ${line} after ${got.join('')}`))
  stdin.emit('data', 'a\u001b[<0;1;5Mb\u001b[<65;1;2Mc')
  expect(await gets(got, 3)).toEqual(['a', 'b', 'c'])
  expect(all).toEqual(['press 4 after a', 'wheel-down 1 after ab'])
})

test('a click on what is still loading is dropped, the keys around it wait', async () => {
  const { keyboard, stdin, got } = open()
  const all: string[] = []
  keyboard.on('mouse', ({ kind }) => all.push(kind))
  stdin.emit('data', 'a')
  await gets(got, 1)
  keyboard.hold()
  stdin.emit('data', '\u001b[<0;1;5Mb')
  keyboard.release()
  expect(await gets(got, 3)).toEqual(['a', 'a', 'b'])
  expect(all).toEqual([])
})
