import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** Number of polls without a change after which closed connections are released. */
const QUIET_POLLS = 10
const POLL_MS = 20
const MAX_POLLS = 500
const MAX_COLLECTIONS = 10
/** A collection that frees less has no significant effect. */
const NEGLIGIBLE_BYTES = 4_096

/** Measures this process once its connections have settled and its garbage is collected. */
export async function takeSample() {
  await settle()
  await collect()
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  return { heapUsed, external, arrayBuffers, rss, counts: countResources() }
}

/** Waits until the number of resources stays the same for a while. */
async function settle() {
  let last = ''
  for (let polls = 0, quiet = 0; polls < MAX_POLLS && quiet < QUIET_POLLS; polls++) {
    const now = JSON.stringify(countResources())
    quiet = now === last ? quiet + 1 : 0
    last = now
    await setTimeout(POLL_MS)
  }
}

/** Collects until nothing more is freed: finalizers run between two collections and release more. */
async function collect() {
  let last = Infinity
  for (let times = 0; times < MAX_COLLECTIONS; times++) {
    globalThis.gc()
    await setTimeout(1)
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external > last - NEGLIGIBLE_BYTES) return
    last = heapUsed + external
  }
}

/** The active resources of this process by kind, and its open file descriptors if the system lists them. */
function countResources() {
  const counts = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  // The timer between two polls does not belong to the server.
  try {
    counts.descriptors = readdirSync('/proc/self/fd').length
  } catch {
    // Only Linux lists them.
  }
  return counts
}
