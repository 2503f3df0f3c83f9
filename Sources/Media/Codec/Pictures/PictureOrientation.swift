internal import CLibAV

/// How to turn a file's rows upright: cameras store pictures as the sensor is held and note its
/// orientation (Exif, tag Orientation).
struct PictureOrientation {
    /// Whether the file's rows are the picture's columns.
    private let swapsSides: Bool
    /// Whether the file's rows are read backwards.
    private let mirrorsRows: Bool
    /// Whether the file's last row comes first.
    private let mirrorsColumns: Bool

    static let asStored = PictureOrientation(
        swapsSides: false, mirrorsRows: false, mirrorsColumns: false)

    private init(swapsSides: Bool, mirrorsRows: Bool, mirrorsColumns: Bool) {
        self.swapsSides = swapsSides
        self.mirrorsRows = mirrorsRows
        self.mirrorsColumns = mirrorsColumns
    }

    /// As the decoder reports it, in a matrix (JPEG) or as Exif's number (WebP); nil without a
    /// valid report.
    init?(of frame: UnsafeMutablePointer<AVFrame>) {
        if let side = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX),
            side.pointee.size >= 9 * MemoryLayout<Int32>.size
        {
            self.init(
                displayMatrix: UnsafeRawPointer(side.pointee.data)
                    .assumingMemoryBound(to: Int32.self))
        } else if let entry = av_dict_get(frame.pointee.metadata, "Orientation", nil, 0) {
            let digits = String(cString: entry.pointee.value).filter { $0 != " " }
            self.init(exif: Int(digits) ?? 0)
        } else {
            return nil
        }
    }

    /// JEITA CP-3451 sect. 4.6.4.
    private init?(exif number: Int) {
        guard (1...8).contains(number) else { return nil }
        self.init(
            swapsSides: number >= 5, mirrorsRows: [2, 3, 7, 8].contains(number),
            mirrorsColumns: [3, 4, 6, 7].contains(number))
    }

    /// - Parameter matrix: maps a point of the file to one of the picture: x' = m0·x + m3·y and y'
    ///   = m1·x + m4·y, as in MP4's track headers.
    private init(displayMatrix matrix: UnsafePointer<Int32>) {
        let swapsSides = matrix[0] == 0
        self.init(
            swapsSides: swapsSides,
            mirrorsRows: swapsSides ? matrix[1] < 0 : matrix[0] < 0,
            mirrorsColumns: swapsSides ? matrix[3] < 0 : matrix[4] < 0)
    }

    /// The upright picture's sides from the file's.
    func size(width: Int, height: Int) -> (width: Int, height: Int) {
        swapsSides ? (height, width) : (width, height)
    }

    /// Rearranges pixels of four bytes into the upright picture.
    ///
    /// - Parameters:
    ///   - stride: bytes from one of the file's rows to the next.
    ///   - width: of the file's rows.
    /// - Returns: the picture's rows, without gaps.
    func upright(_ stored: [UInt8], stride: Int, width: Int, height: Int) -> [UInt8] {
        let size = size(width: width, height: height)
        // Bytes from a pixel to the one on its right, and to the one below it.
        let along = mirrorsRows ? -4 : 4
        let across = mirrorsColumns ? -stride : stride
        let first =
            (mirrorsRows ? (width - 1) * 4 : 0) + (mirrorsColumns ? (height - 1) * stride : 0)
        let (right, below) = swapsSides ? (across, along) : (along, across)
        let count = size.width * size.height * 4
        return [UInt8](unsafeUninitializedCapacity: count) { pixels, initialized in
            stored.withUnsafeBytes { stored in
                let target = UnsafeMutableRawBufferPointer(pixels)
                var place = 0
                for y in 0..<size.height {
                    var from = first + y * below
                    for _ in 0..<size.width {
                        target.storeBytes(
                            of: stored.load(fromByteOffset: from, as: UInt32.self),
                            toByteOffset: place, as: UInt32.self)
                        place += 4
                        from += right
                    }
                }
            }
            initialized = count
        }
    }
}
