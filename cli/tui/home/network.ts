/** Whether two addresses are of one network as people have it: an IPv4 /24, an IPv6 /64. */
export const isSameNetwork = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && networkOf(one) === networkOf(other)

const networkOf = (address: string): string =>
  address.includes(':') ? groupsOf(address).slice(0, 4).join(':') : address.split('.').slice(0, 3).join('.')

/** The eight groups of an IPv6 address, those that `::` stands for too. */
function groupsOf(address: string): readonly string[] {
  const [start = [], end] = address.split('::').map((part) => part.split(':').filter(Boolean))
  if (!end) return start
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end]
}
