import type { Cluster, Redis } from 'ioredis'

/**
 * Calls back when a cluster has another master, or one that was connected to anew: either may have less than was seen. Clients ask
 * the cluster for its masters at intervals. A review that fails is made again with the next answer.
 */
export function watchFailOvers(cluster: Cluster, onFailOver: () => Promise<void>): void {
  let known: ReadonlySet<Redis> = new Set()
  let isReviewing = false

  const look = async (): Promise<void> => {
    const masters = cluster.nodes('master')
    if (isReviewing || masters.every((master) => known.has(master))) return
    isReviewing = true
    try {
      await onFailOver()
      known = new Set(masters)
    } finally {
      isReviewing = false
    }
  }
  cluster.on('refresh', () => void look().catch(() => {}))
}
