; Light in a bent waveguide: a finite-difference grid over ranks, fields written through parallel HDF5.
(set! geometry-lattice (make lattice (size 16 16 no-size)))
(set! geometry (list
  (make block (center -2 -3.5) (size 12 1 infinity) (material (make dielectric (epsilon 12))))
  (make block (center 3.5 2) (size 1 12 infinity) (material (make dielectric (epsilon 12))))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 10)
(set! sources (list (make source (src (make continuous-src (wavelength (* 2 (sqrt 12))) (width 20)))
  (component Ez) (center -7 -3.5) (size 0 1))))
(run-until 60 (at-beginning output-epsilon) (at-end output-efield-z)
  (at-every 20 (lambda () (print "energy: " (field-energy-in-box (volume (center 0 0) (size 14 14 0))) "\n"))))
