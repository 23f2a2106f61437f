const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Parses `30`, `500ms`, `30s`, `5m` or `1h` as milliseconds. Undefined for anything else or more than a day. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(\d{1,8})(ms|s|m|h)?$/.exec(text)
  if (!parts) return undefined
  const milliseconds = Number(parts[1]) * (units[parts[2] ?? 's'] ?? 1000)
  return milliseconds <= 86_400_000 ? milliseconds : undefined
}
