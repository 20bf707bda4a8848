// The stream of pictures: messages of two lengths and, compressed, JSON and pictures; see feed.py.

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// the console's 32,768 colours: five bits become eight as its emulator makes them
const COLOURS = new Uint32Array(1 << 16);
for (let key = 0; key < COLOURS.length; key++) {
  const [red, green, blue] = [0, 5, 10].map((shift) => (key >> shift) & 31).map((c) => (c << 3) | (c >> 2));
  COLOURS[key] = (255 << 24) | (blue << 16) | (green << 8) | red;
}

function readPicture(buffer, at) {
  const [width, height] = new Uint32Array(buffer, at, 2);
  const keys = new Uint16Array(buffer, at + 8, width * height);
  const pixels = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) pixels[i] = COLOURS[keys[i]];
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
  return [image, at + 8 + 2 * keys.length];
}

async function readMessage(facts, packed) {
  const parts = [inflate(facts), packed.length ? inflate(packed) : new ArrayBuffer(0)];
  const [text, buffer] = await Promise.all(parts);
  const pictures = [];
  for (let at = 0; at < buffer.byteLength;) {
    const [image, next] = readPicture(buffer, at);
    pictures.push(image);
    at = next;
  }
  return { ...JSON.parse(new TextDecoder().decode(text)), pictures };
}

/** Calls `take` with each message until `signal` aborts; throws when the server is gone. */
export async function follow(address, take, signal) {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  const reader = response.body.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the server has ended the stream");
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    let at = 0;
    while (joined.length - at >= 8) {
      const view = new DataView(joined.buffer, at, 8);
      const middle = at + 8 + view.getUint32(0, true), end = middle + view.getUint32(4, true);
      if (joined.length < end) break;
      const message = await readMessage(joined.subarray(at + 8, middle), joined.subarray(middle, end));
      if (signal.aborted) return; // what had been received by then is of another session or view
      take(message);
      at = end;
    }
    rest = joined.slice(at);
  }
}
