import { execFile } from 'node:child_process'
import { chown, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A separate disk that can be filled. */
export interface SmallDisk {
  /** Its mount point. */
  readonly folder: string
  /** Fills the remaining space. */
  fill(): Promise<void>
  /** Frees it. */
  free(): Promise<void>
  /** Makes it read-only. */
  protect(): Promise<void>
  close(): Promise<void>
}

/** The reason why no disk can be filled here, as a suffix of the name of a skipped test; otherwise empty. */
export const smallDiskMissing: string = await openSmallDisk(1).then(
  async (disk) => {
    await disk.close()
    return ''
  },
  () => ' (left out: a small disk cannot be mounted here; run it as root on Linux)',
)

/** Mounts a disk of this many MiB; it belongs to a user if one is given. */
export async function openSmallDisk(
  megabytes: number,
  { uid = 0, gid = 0 }: { readonly uid?: number; readonly gid?: number } = {},
): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-disk-'))
  const filler = join(folder, 'filler')
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  await chown(folder, uid, gid)
  return {
    folder,
    fill: async () => {
      const file = await open(filler, 'a')
      try {
        for (let size = 1_048_576; size >= 4_096;) {
          const written = await file.write(Buffer.alloc(size)).then(
            ({ bytesWritten }) => bytesWritten,
            () => 0,
          )
          if (written < size) size /= 2
        }
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler),
    protect: async () => void (await run('mount', ['-o', 'remount,ro', folder])),
    close: async () => {
      await run('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
