import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import { fileKeyOf, isSecret } from './names.ts'

/** Bytes. The longest setting is a list of keys. */
const maxSize = 65_536

/**
 * The content of the file that `NAME_FILE` names, without its last line break. A relative path is relative to `folder`.
 *
 * @throws Error with a sentence, which contains nothing of the content.
 */
export function readSettingFile(name: string, path: string, folder: string): string {
  const file = open(name, path, folder)
  try {
    const stats = fstatSync(file)
    const problem = problemOf(name, stats)
    if (problem) throw wrong(name, path, problem)
    return textOf(name, path, readFileSync(file))
  } finally {
    closeSync(file)
  }
}

function open(name: string, path: string, folder: string): number {
  try {
    // Without O_NONBLOCK a named pipe would stop the start until somebody writes to it.
    return openSync(resolve(folder, path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // If there is no such file, the text may be the secret itself.
    const isPath = !isSecret(name) || ['EACCES', 'EPERM', 'ELOOP'].includes(code)
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code))
      throw wrong(name, isPath ? path : null, `no such file: expected the path of a file that contains ${name}`)
    throw wrong(name, isPath ? path : null, `the file cannot be read (${code}): expected one that this user may read`)
  }
}

function problemOf(name: string, stats: Stats): string | null {
  if (!stats.isFile()) return 'expected a file'
  if (stats.size > maxSize) return `the file has ${stats.size} bytes: expected at most ${maxSize}`
  if (process.platform === 'win32' || !isSecret(name) || (stats.mode & 0o027) === 0) return null
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  return `other users may read or change the file (mode ${mode}): expected mode 0400, 0440, 0600 or 0640`
}

function textOf(name: string, path: string, content: Buffer): string {
  const text = decode(content)
  if (text === null) throw wrong(name, path, 'expected text in UTF-8')
  const value = text.replace(/\r?\n$/, '')
  if (value === '') throw wrong(name, path, `the file is empty: expected the value of ${name}`)
  return value
}

function decode(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return null
  }
}

const wrong = (name: string, path: string | null, problem: string): Error =>
  new Error(`${fileKeyOf(name)} is ${path === null ? '(hidden)' : JSON.stringify(path)}: ${problem}`)
