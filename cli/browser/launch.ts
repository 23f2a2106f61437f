import { spawn } from 'node:child_process'

/** Starts a detached program. False when no such program is installed. */
export const launch = ([program, ...args]: readonly [string, ...string[]]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true, shell: false, windowsHide: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
