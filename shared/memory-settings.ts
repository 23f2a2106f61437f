/** Variables that glibc reads at the start of a process. */
export interface MemorySettings {
  readonly MALLOC_ARENA_MAX: string
  readonly GLIBC_TUNABLES: string
}

/**
 * What the service needs of glibc, unless the environment says otherwise. With an arena per thread, each of them keeps
 * the 19 MB of a password hash; one arena costs no measurable time. Huge pages for those 19 MB make each hash a few
 * percent cheaper, where the kernel gives them on request.
 */
export const memorySettingsOf = (env: Readonly<Record<string, string | undefined>>): MemorySettings => ({
  MALLOC_ARENA_MAX: env['MALLOC_ARENA_MAX'] ?? '1',
  GLIBC_TUNABLES: env['GLIBC_TUNABLES'] ?? 'glibc.malloc.hugetlb=1',
})
