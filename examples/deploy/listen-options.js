/** The address of the servers of this folder; for another port: PORT=8788. */
export const hostname = '127.0.0.1'
export const port = Number(process.env.PORT ?? 8787)
