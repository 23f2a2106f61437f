/** Milliseconds between looks at what is due. */
const tick = 4

export interface Stream {
  /** Milliseconds by which the worst request was sent too late, since the generator itself had to wait. */
  readonly latest: number
  stop(): void
}

/** Sends at a fixed rate, however long answers take: a slow service gets no relief (an open loop). */
export function startStream(rate: number, send: () => void): Stream {
  const began = performance.now()
  let sent = 0
  let latest = 0
  const timer = setInterval(() => {
    const passed = performance.now() - began
    const due = Math.floor((passed / 1000) * rate)
    if (sent < due) latest = Math.max(latest, passed - ((sent + 1) / rate) * 1000)
    for (; sent < due; sent += 1) send()
  }, tick)
  return {
    get latest() {
      return latest
    },
    stop: () => clearInterval(timer),
  }
}

/** Asks as soon as the last answer is there, several at a time (a closed loop): the most that a service can do. */
export async function askUntil(end: number, atOnce: number, ask: () => Promise<unknown>): Promise<void> {
  const loop = async () => {
    while (performance.now() < end) await ask()
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
}
