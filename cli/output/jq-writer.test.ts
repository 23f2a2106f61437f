import { describe, expect, it } from 'vitest'
import { inTurn } from '../../server/testing/rounds.ts'
import { printedByJq, read } from '../testing/jq-programs.ts'
import { jqWriter } from './jq-writer.ts'

const printed = async (program: string, value: unknown, indent?: number): Promise<string> =>
  (await jqWriter(program, indent))(value).join('\n')

it.each(inTurn(printedByJq))('%s prints what jq prints', async (program, lines) => {
  expect(await printed(program, read)).toBe(lines)
})

describe('what a program makes', () => {
  it('is printed raw if it is a text, and as JSON otherwise, indented for people', async () => {
    expect(await printed('.[]', ['a b', '1', 1, null, { a: [] }])).toBe('a b\n1\n1\nnull\n{"a":[]}')
    expect(await printed('.', { a: 1 }, 2)).toBe('{\n  "a": 1\n}')
  })

  it('holds nothing that a terminal would act on; lines and tabs of the program stay', async () => {
    const evil = { name: 'a\u001b[31m\u202eb' }
    expect(await printed('.name', evil)).toBe('a\\u001b[31m\\u{202e}b')
    expect(await printed('.', evil)).toBe('{"name":"a\\u001b[31m\\u202eb"}')
    expect(await printed('"\\(.name | length)\\t1\\n2"', evil)).toBe('8\t1\n2')
    expect(await printed('"G1sy" | @base64d', null)).toBe('\\u001b[2')
  })

  it('comes from the JSON alone: no file, no variable of this machine', async () => {
    process.env['SECRET_OF_THE_TEST'] = 'secret'
    expect(await printed('env.SECRET_OF_THE_TEST, $ENV.SECRET_OF_THE_TEST', null)).toBe('null\nnull')
    delete process.env['SECRET_OF_THE_TEST']
    await expect(jqWriter('import "package" as $p; $p', undefined)).rejects.toThrow('--jq: module not found: package')
  })

  it('can begin with a dash', async () => {
    expect(await printed('-.[0]', [3])).toBe('-3')
    expect(await printed('-n', { n: 1 }).catch(String)).toContain('n/0 is not defined')
  })
})

describe('a program that is wrong', () => {
  it.each([
    ['.[', 'syntax error, unexpected end of file at <top-level>, line 1, column 2'],
    ['nonesuch', 'nonesuch/0 is not defined at <top-level>, line 1, column 1'],
  ])('%s is refused before it reads anything', async (program, reason) => {
    await expect(jqWriter(program, undefined)).rejects.toMatchObject({ exitCode: 2, message: `--jq: ${reason}` })
  })

  it.each([
    ['.a', 'Cannot index array with string ("a")'],
    ['error("no")', 'no'],
    ['error(null)', 'null'],
    ['"no" | halt_error', 'no'],
  ])('%s fails with its own message when it reads', async (program, reason) => {
    const write = await jqWriter(program, undefined)
    expect(() => write([1])).toThrow(expect.objectContaining({ exitCode: 2, message: `--jq: ${reason}` }))
  })
})
