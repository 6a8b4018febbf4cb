import { execFile } from 'node:child_process'
import { chown, cp, mkdir, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
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

/** A disk that can become read-only while its files are open, as after an error of the device. */
export interface FailingDisk {
  /** Its mount point. */
  readonly folder: string
  fail(): Promise<unknown>
  /** Mounts a writable copy in its place. */
  repair(): Promise<unknown>
  close(): Promise<void>
}

/** The reason why no disk can fail here, as a suffix of the name of a skipped test; otherwise empty. */
export const failingDiskMissing: string = await openFailingDisk().then(
  async (disk) => {
    await disk.close()
    return ''
  },
  () =>
    ' (left out: a disk that fails cannot be mounted here; run it as root on Linux with loop devices and mkfs.ext4)',
)

/** Mounts a disk that can fail. */
export async function openFailingDisk(): Promise<FailingDisk> {
  const place = await mkdtemp(join(tmpdir(), 'millrace-disk-'))
  const [image, folder] = [join(place, 'image'), join(place, 'disk')]
  const remove = () => rm(place, { recursive: true })
  const mount = (from: string) => run('mount', ['-o', 'loop,errors=remount-ro', from, folder])
  try {
    await mkdir(folder)
    await writeFile(image, '')
    await truncate(image, 8_388_608)
    await run('mkfs.ext4', ['-q', image])
    await mount(image)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    folder,
    fail: () => run('mount', ['-o', 'remount,abort', folder]),
    repair: async () => {
      // SQLite releases its files when its statements are garbage collected.
      await run('umount', ['-l', folder])
      await cp(image, join(place, 'copy'))
      await mount(join(place, 'copy'))
    },
    close: async () => {
      await run('umount', ['-l', folder])
      await remove()
    },
  }
}

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
