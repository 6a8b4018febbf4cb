/** The number of files that are kept for a reload. */
const MAX_FILES = 5
const STORE = 'recordings'

interface StoredFile {
  readonly key: string
  readonly name: string
  readonly file: Blob
  readonly openedAt: number
}

/** Stores a file in the browser for a reload; returns its key, or undefined if that failed. */
export async function storeRecording(
  file: Blob,
  name: string,
  key: string = Math.random().toString(36).slice(2, 10),
): Promise<string | undefined> {
  try {
    const shelved: StoredFile = { key, name, file, openedAt: Date.now() }
    await withStore('readwrite', (store) => store.put(shelved))
    const all = await withStore<StoredFile[]>('readonly', (store) => store.getAll())
    const old = all.toSorted((one, other) => other.openedAt - one.openedAt).slice(MAX_FILES)
    for (const each of old) await withStore('readwrite', (store) => store.delete(each.key))
    return key
  } catch {
    // Private windows and full disks: the file is shown anyway.
    return undefined
  }
}

/** Returns a stored file, if it still exists. */
export async function findRecording(key: string): Promise<StoredFile | undefined> {
  try {
    return await withStore<StoredFile | undefined>('readonly', (store) => store.get(key))
  } catch {
    return undefined
  }
}

async function withStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  const opening = indexedDB.open('millrace-studio', 1)
  opening.addEventListener('upgradeneeded', () =>
    opening.result.createObjectStore(STORE, { keyPath: 'key' }),
  )
  const database = await settle<IDBDatabase>(opening)
  try {
    return await settle<T>(work(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function settle<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result as T))
    request.addEventListener('error', () =>
      reject(request.error ?? new Error('The browser’s store failed.')),
    )
  })
}
